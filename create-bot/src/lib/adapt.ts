import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { adaptToLocation, type Location, unscoped } from './location/adapt-location.ts'
import { isNewYarn, lockFiles, type PackageManager } from './package-manager.ts'
import type { Linter } from './tooling.ts'

/** The files of a template that name the bot's Worker and its keys in a store: two bots with one name would share both. */
const named = ['bot.config.ts', 'wrangler.json']
/** The files of a template that contain package manager commands. */
const places = ['README.md', 'AGENTS.md', 'Dockerfile', '.github/workflows/ci.yml']

/** Templates are written for npm; these are its commands in the other package managers. Longer commands precede their own prefixes. */
const commands = [
  'npm ci --ignore-scripts --omit=dev',
  'npm ci --ignore-scripts',
  'npm install',
  'npm run',
  'npm test',
  'npm start',
  'npx',
] as const
const spoken: Readonly<Record<Exclude<PackageManager, 'npm'>, Record<(typeof commands)[number], string>>> = {
  pnpm: {
    'npm ci --ignore-scripts --omit=dev': 'pnpm install --frozen-lockfile --ignore-scripts --prod',
    'npm ci --ignore-scripts': 'pnpm install --frozen-lockfile --ignore-scripts',
    'npm install': 'pnpm install',
    'npm run': 'pnpm run',
    'npm test': 'pnpm test',
    'npm start': 'pnpm start',
    npx: 'pnpm exec',
  },
  yarn: {
    'npm ci --ignore-scripts --omit=dev': 'yarn install --frozen-lockfile --ignore-scripts --production',
    'npm ci --ignore-scripts': 'yarn install --frozen-lockfile --ignore-scripts',
    'npm install': 'yarn install',
    'npm run': 'yarn run',
    'npm test': 'yarn test',
    'npm start': 'yarn start',
    npx: 'yarn run',
  },
  bun: {
    'npm ci --ignore-scripts --omit=dev': 'bun install --frozen-lockfile --ignore-scripts --production',
    'npm ci --ignore-scripts': 'bun install --frozen-lockfile --ignore-scripts',
    'npm install': 'bun install',
    'npm run': 'bun run',
    'npm test': 'bun run test',
    'npm start': 'bun run start',
    npx: 'bun x',
  },
}
const newYarn: Partial<Record<string, string>> = {
  'npm ci --ignore-scripts --omit=dev': 'yarn workspaces focus --production',
  'npm ci --ignore-scripts': 'yarn install --immutable',
}
const typed = new RegExp(`(?<![\\w-])(?:${commands.join('|')})(?![\\w-])`, 'g')

export interface Adaption {
  folder: string
  /** The bot's package name. */
  name: string
  packageManager: PackageManager
  /** The package manager's version; '' if unknown. */
  version: string
  /** The locations of the bot's packages in packages.local/; empty outside a checkout. */
  packed: Readonly<Record<string, string>>
  /** Whether the bot leaves out libsql. */
  withSqlite: boolean
  linter: Linter
  location: Location
}

/**
 * Adapts the files of a template to this bot: its name, its package manager, the source of its packages, and what is above it. Returns
 * the path to which the user moves the workflow, if it has to be elsewhere.
 */
export function adaptTo(bot: Adaption): string | undefined {
  const { folder, name, packageManager, version, packed, withSqlite, linter, location } = bot
  for (const place of places) {
    const file = path.join(folder, place)
    if (!existsSync(file)) continue
    let text = readFileSync(file, 'utf8').replace(/^# my-bot$/m, `# ${name}`)
    if (withSqlite)
      text = text.replace(/^( *node: )\[20, 22, /m, '$1[').replace('Node 20.19 or newer', 'Node 24 or newer')
    if (linter !== 'none')
      text = text
        .replace(/^( *)- run: npm run check$/m, '$&\n$1- run: npm run lint\n$1- run: npm run format:check')
        .replace(
          /^- `npm run check` .*$/m,
          '$&\n- `npm run lint` finds mistakes, and `npm run format` formats the code.',
        )
    if (packageManager !== 'npm') text = speak(text, packageManager, version)
    if (Object.keys(packed).length > 0)
      text = text.replaceAll(/^COPY package\.json .*$/gm, (line) => `${line}\nCOPY packages.local packages.local/`)
    writeFileSync(file, text)
  }
  for (const file of named.map((one) => path.join(folder, one)).filter((one) => existsSync(one))) {
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replaceAll(/(?<=['"])my-bot(?=['"])/g, unscoped(name)))
  }
  if (existsSync(path.join(folder, 'jsconfig.json'))) speakJavaScript(path.join(folder, 'AGENTS.md'))
  // In a workspace, the settings of the root apply.
  if (!location.workspace) writeSettings(bot)
  return adaptToLocation(bot)
}

function writeSettings({ folder, packageManager, version, packed }: Adaption): void {
  const settings = settingsOf(packageManager, version, packed, scriptedPackages(folder))
  for (const [file, text] of Object.entries(settings)) writeFileSync(path.join(folder, file), text)
  // Without a lock file, Yarn would use a package.json in a parent folder as the project.
  if (isNewYarn(packageManager, version)) writeFileSync(path.join(folder, lockFiles.yarn), '')
}

/** The packages of the bot that have install scripts. All of them work without. */
function scriptedPackages(folder: string): string[] {
  const text = readFileSync(path.join(folder, 'package.json'), 'utf8')
  const { devDependencies = {} } = JSON.parse(text) as { devDependencies?: object }
  return ['esbuild', ...('miniflare' in devDependencies ? ['sharp', 'workerd'] : [])]
}

/** The settings files of the package manager, by file name. */
function settingsOf(
  manager: PackageManager,
  version: string,
  packed: Adaption['packed'],
  scripted: readonly string[],
): Record<string, string> {
  if (isNewYarn(manager, version)) return { '.yarnrc.yml': yarnSettings(version) }
  if (manager !== 'pnpm') return {}
  const overrides = Object.entries(packed).map(([name, place]) => `  '${name}': ${place}\n`)
  const linked = overrides.length > 0 ? `overrides:\n${overrides.join('')}` : ''
  return { 'pnpm-workspace.yaml': pnpmSettings(scripted) + linked }
}

const pnpmSettings = (
  scripted: readonly string[],
) => `# Install scripts are not needed. pnpm 10 reads the first setting, later versions the second.
ignoredBuiltDependencies:
${scripted.map((name) => `  - ${name}\n`).join('')}allowBuilds:
${scripted.map((name) => `  ${name}: false\n`).join('')}# Allows a release of the framework on the day it is published.
minimumReleaseAgeExclude:
  - '@botwright/*'
`

function yarnSettings(version: string): string {
  // `yarn workspaces focus` has no option to skip scripts.
  const linker = 'enableScripts: false\nnodeLinker: node-modules\n'
  const [major = 0, minor = 0] = version.split('.').map(Number)
  // Versions before 4.10 have no minimum release age and reject unknown settings.
  if (major < 4 || (major === 4 && minor < 10)) return linker
  return `${linker}# Allows a release of the framework on the day it is published.\nnpmPreapprovedPackages:\n  - '@botwright/*'\n`
}

/** Adapts AGENTS.md to a bot in JavaScript. */
function speakJavaScript(file: string): void {
  const text = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    text.replaceAll(/\.ts\b/g, '.js').replace('TypeScript, ESM', 'JavaScript with types in JSDoc, ESM'),
  )
}

function speak(text: string, manager: Exclude<PackageManager, 'npm'>, version: string): string {
  const words: Record<string, string> = { ...spoken[manager], ...(isNewYarn(manager, version) && newYarn) }
  const install = isNewYarn(manager, version)
    ? 'corepack enable'
    : // Node images include Yarn 1, which npm replaces only with --force.
      `npm install --global ${manager === 'yarn' ? '--force ' : ''}${manager}${version ? `@${version}` : ''}`
  return (
    text
      .replaceAll(typed, (command) => words[command] ?? command)
      .replaceAll(
        'package-lock.json',
        [lockFiles[manager], ...Object.keys(settingsOf(manager, version, {}, []))].join(' '),
      )
      // setup-node cannot cache bun's packages.
      .replace(/^ *cache: npm\n/m, (line) => (manager === 'bun' ? '' : line.replace('npm', manager)))
      .replaceAll(/^(?<step> *)- uses: actions\/setup-node/gm, `$<step>- run: ${install}\n$&`)
      .replaceAll(/^FROM .* AS (?:build|packages)$/gm, (line) => `${line}\nRUN ${install}`)
  )
}

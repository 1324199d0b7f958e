import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { PackageManager } from './package-manager.ts'

/** Where a template speaks of its package manager. */
const places = ['README.md', 'AGENTS.md', 'Dockerfile', '.github/workflows/ci.yml']

/** Templates are written for npm, whole and working; what each command is elsewhere. Longer ones stand before those that they begin with. */
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
    'npm run': 'pnpm',
    'npm test': 'pnpm test',
    'npm start': 'pnpm start',
    npx: 'pnpm exec',
  },
  yarn: {
    'npm ci --ignore-scripts --omit=dev': 'yarn install --frozen-lockfile --ignore-scripts --production',
    'npm ci --ignore-scripts': 'yarn install --frozen-lockfile --ignore-scripts',
    'npm install': 'yarn install',
    'npm run': 'yarn',
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
    npx: 'bunx',
  },
}
const newYarn: Partial<Record<string, string>> = {
  'npm ci --ignore-scripts --omit=dev': 'yarn workspaces focus --production',
  'npm ci --ignore-scripts': 'yarn install --immutable',
}
const lockFiles: Readonly<Record<PackageManager, string>> = {
  npm: 'package-lock.json',
  pnpm: 'pnpm-lock.yaml',
  yarn: 'yarn.lock',
  bun: 'bun.lock',
}
const typed = new RegExp(`(?<![\\w-])(?:${commands.join('|')})(?![\\w-])`, 'g')

export interface Adaption {
  folder: string
  /** The bot's package name. */
  name: string
  packageManager: PackageManager
  /** Of the package manager; '' when nobody knows. */
  version: string
  /** The bot has its packages in packages.local/. */
  linked: boolean
}

/** Turns the files of a template into those of this bot: its name, its package manager, where its packages come from. */
export function adaptTo({ folder, name, packageManager, version, linked }: Adaption): void {
  for (const place of places) {
    const file = path.join(folder, place)
    if (!existsSync(file)) continue
    let text = readFileSync(file, 'utf8').replace(/^# my-bot$/m, `# ${name}`)
    if (packageManager !== 'npm') text = speak(text, packageManager, version)
    if (linked)
      text = text.replaceAll(/^COPY package\.json .*$/gm, (line) => `${line}\nCOPY packages.local packages.local/`)
    writeFileSync(file, text)
  }
  if (existsSync(path.join(folder, 'jsconfig.json'))) speakJavaScript(path.join(folder, 'AGENTS.md'))
  if (isNewYarn(packageManager, version))
    // `yarn workspaces focus` has no option that keeps it from running scripts.
    writeFileSync(path.join(folder, '.yarnrc.yml'), 'enableScripts: false\nnodeLinker: node-modules\n')
  if (packageManager === 'pnpm')
    // Nothing that a bot installs needs to run a script; pnpm wants to be told.
    writeFileSync(path.join(folder, 'pnpm-workspace.yaml'), 'ignoredBuiltDependencies:\n  - esbuild\n')
}

/** What is written for bots in TypeScript. */
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
    : `npm install --global ${manager}${version ? `@${version}` : ''}`
  return (
    text
      .replaceAll(typed, (command) => words[command] ?? command)
      .replaceAll('node_modules/@libsql/', manager === 'pnpm' ? 'node_modules/.pnpm/@libsql+' : '$&')
      .replaceAll('package-lock.json', [lockFiles[manager], ...settingsOf(manager, version)].join(' '))
      // setup-node keeps no packages of bun.
      .replace(/^ *cache: npm\n/m, (line) => (manager === 'bun' ? '' : line.replace('npm', manager)))
      .replaceAll(/^(?<step> *)- uses: actions\/setup-node/gm, `$<step>- run: ${install}\n$&`)
      .replaceAll(/^FROM .* AS (?:build|packages)$/gm, (line) => `${line}\nRUN ${install}`)
  )
}

/** What the package manager reads beside package.json. */
function settingsOf(manager: PackageManager, version: string): string[] {
  if (isNewYarn(manager, version)) return ['.yarnrc.yml']
  return manager === 'pnpm' ? ['pnpm-workspace.yaml'] : []
}

const isNewYarn = (manager: PackageManager, version: string): boolean =>
  manager === 'yarn' && version !== '' && !version.startsWith('1.')

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { lockFiles, type PackageManager } from '../package-manager.ts'
import { findRepository, findWorkspace, type Workspace } from './workspace.ts'

/** The repository and the workspace above a new bot. */
export interface Location {
  /** The bot's folder in the repository above it: `apps/bot`. */
  inRepository?: string
  /** The workspace that the bot is a package of. */
  workspace?: Workspace
  /** Why the bot is not a package of the workspace above it. */
  outside?: string
}

interface Given {
  target: string
  cwd: string
  packageManager: PackageManager
  /** Whether the bot uses packed packages of a checkout. */
  linked: boolean
}

/** Finds the repository and the workspace of a bot that will be in `target`. */
export function locate(given: Given): Location {
  const repository = findRepository(given.target)
  const workspace = findWorkspace(given.target)
  const inRepository = repository && path.relative(repository, given.target).replaceAll(path.sep, '/')
  const reason = workspace && reasonAgainst(workspace, given)
  return {
    ...(inRepository && { inRepository }),
    ...(workspace && reason === undefined && { workspace }),
    ...(reason !== undefined && { outside: `the bot is a project of its own: ${reason}` }),
  }
}

function reasonAgainst(workspace: Workspace, { cwd, packageManager, linked }: Given): string | undefined {
  const file = path.relative(cwd, path.join(workspace.root, workspace.file)).replaceAll(path.sep, '/')
  const field = workspace.manager === 'pnpm' ? 'packages' : 'workspaces'
  if (workspace.manager !== packageManager) return `the workspace of ${file} uses ${workspace.manager}`
  if (!workspace.includes) return `"${field}" of ${file} does not include ${workspace.folder}`
  // Only npm takes them from the bot itself.
  if (linked && packageManager !== 'npm') return `the packages of a checkout require overrides in ${file}`
  return undefined
}

/** Files of a repository's root, where the repository above the bot has its own. */
const ofRoot = ['.editorconfig', '.gitattributes', '.nvmrc', '.github/dependabot.yml']

/** Files that name the programs of packages by their paths. */
const withPrograms = ['.mcp.json', '.cursor/mcp.json', '.vscode/mcp.json', '.vscode/launch.json', '.vscode/tasks.json']

export interface Located {
  /** The folder of the bot's files. */
  folder: string
  name: string
  packageManager: PackageManager
  version: string
  location: Location
}

/**
 * Adapts the bot's files to the repository and the workspace above it. Returns the path in the repository to which the user moves the
 * workflow: create-bot writes nothing outside of the bot's folder.
 */
export function adaptToLocation(bot: Located): string | undefined {
  const { location, folder, packageManager } = bot
  const { workspace, inRepository } = location
  const change = (file: string, by: (text: string) => string) => {
    const at = path.join(folder, file)
    if (existsSync(at)) writeFileSync(at, by(readFileSync(at, 'utf8')))
  }
  if (workspace) {
    change('Dockerfile', (text) => workspaceImage(text, bot, workspace.folder))
    change('compose.yaml', (text) => workspaceCompose(text, packageManager, workspace.folder))
    if (packageManager !== 'pnpm')
      for (const file of withPrograms) change(file, (text) => hoisted(text, workspace.folder))
    change('.dockerignore', (text) => text.replaceAll(/^(?=.)/gm, '**/'))
    // Docker reads .dockerignore only in the root; a file with this name belongs to the Dockerfile.
    renameSync(path.join(folder, '.dockerignore'), path.join(folder, 'Dockerfile.dockerignore'))
  }
  if (inRepository === undefined) return undefined
  for (const file of ofRoot) rmSync(path.join(folder, file), { force: true })
  change('.github/workflows/ci.yml', (text) => subfolderWorkflow(text, bot, inRepository))
  return `.github/workflows/${unscoped(bot.name)}.yml`
}

/** `bot` of `@acme/bot`. */
export const unscoped = (name: string): string => name.replace(/^@.*\//, '')

const upFrom = (folder: string): string => folder.replaceAll(/[^/]+/g, '..')

/** npm, Yarn and Bun install packages in the root of a workspace. */
const hoisted = (text: string, folder: string): string =>
  text.replaceAll(/(?<=["/])node_modules\/(?=@botwright|vitest)/g, `${upFrom(folder)}/node_modules/`)

/** A Dockerfile whose context is the root of the workspace. */
function workspaceImage(text: string, { name, packageManager, version }: Located, folder: string): string {
  const [build = '', packages = '', ...last] = text.split(/^(?=(?:# .*\n)?FROM )/m)
  const image = last.join('')
  const place = `/repository/${folder}`
  const whole = (stage: string) =>
    stage
      .replace(/^WORKDIR .*$/m, 'WORKDIR /repository')
      .replace(/^COPY package\.json .*\n(?:COPY packages\.local .*\n)?/m, 'COPY . .\n')
  const comment = `# Build it in the root of the workspace: docker build --file ${argument(`${folder}/Dockerfile`)} .\n`
  const built = comment + whole(build)
  const from = image.replace('/bot/dist dist/', () => paths(`${place}/dist`, 'dist/'))
  if (packageManager === 'pnpm') {
    // From version 10 on, pnpm otherwise requires another layout of the whole workspace.
    const legacy = Number.parseInt(version) < 10 ? '' : ' --legacy'
    return [
      built.replace(/^COPY \. \.\nRUN .* build$/m, `RUN pnpm --filter ${name}... run build`),
      `FROM build AS packages\nRUN pnpm --filter ${name} --prod${legacy} deploy /packages\n\n`,
      from.replace('/bot/node_modules', '/packages/node_modules'),
    ].join('')
  }
  const enter = `WORKDIR ${place}\n`
  return [
    built.replace(/^COPY \. \.\n(?=RUN .* build$)/m, () => enter),
    packageManager === 'npm'
      ? whole(packages).replace('--omit=dev', (option) => `${option} --workspace ${argument(folder)}`)
      : whole(packages).replace(/^COPY \. \.\n/m, (line) => line + enter),
    from
      .replace(/^RUN mkdir .*$/m, `${linksInstalled}\n$&`)
      .replace('node_modules/@botwright/framework', '/framework')
      .replace(/^WORKDIR .*$/m, () => enter.trimEnd())
      .replace(/^COPY --from=packages .*$/m, 'COPY --from=packages /repository /repository')
      .replace('/bot/.botwright', () => paths(`${place}/.botwright`)),
  ].join('')
}

/** Whether shells, Dockerfiles and YAML read a path as it is written, without quotes. */
const isPlain = (text: string): boolean => /^[\p{L}\p{N}_./:@-]+$/u.test(text)

/** An argument of a command in the shell of Linux. */
const argument = (text: string): string => (isPlain(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** The paths of an instruction in a Dockerfile. */
const paths = (...all: string[]): string =>
  all.every(isPlain) ? all.join(' ') : `[${all.map((one) => JSON.stringify(one)).join(', ')}]`

/** A text in YAML, in which a first `@` or `-` has another meaning. */
const scalar = (text: string): string => (isPlain(text) && !/^[@:-]/.test(text) ? text : JSON.stringify(text))

/** Usually the root contains it, but the bot's folder if another package has another version. */
const linksInstalled = `# Where the package manager has installed the framework.
RUN ln -s "$(node -p "path.dirname(require.resolve('@botwright/framework/package.json'))")" /framework`

function workspaceCompose(text: string, manager: PackageManager, folder: string): string {
  const dockerfile = scalar(`${folder}/Dockerfile`)
  const built = text.replace('build: .', () => `build: { context: ${upFrom(folder)}, dockerfile: ${dockerfile} }`)
  if (manager === 'pnpm') return built
  return built.replace('journal:/bot/.botwright', () => scalar(`journal:/repository/${folder}/.botwright`))
}

/** A workflow for the root of the repository, where GitHub reads them. */
function subfolderWorkflow(text: string, { name, packageManager, location }: Located, folder: string): string {
  const { workspace } = location
  // In the root of the repository, setup-node finds the lock file by itself.
  const root = workspace ? folder.slice(0, -workspace.folder.length) : `${folder}/`
  const lockFile = root === '' ? '' : `\n          cache-dependency-path: ${scalar(root + lockFiles[packageManager])}`
  return text
    .replace(/^name: .*$/m, `name: ${unscoped(name)}`)
    .replace(/^jobs:$/m, (line) => `defaults:\n  run:\n    working-directory: ${scalar(folder)}\n${line}`)
    .replace(/^ *cache: .*$/m, (line) => line + lockFile)
    .replace(/^( *path: )(\.botwright.*)$/m, (_, start, place) => `${start}${scalar(`${folder}/${place}`)}`)
    .replace(/^( *- run: docker build .*) \.$/m, workspace ? `$1 --file Dockerfile ${upFrom(workspace.folder)}` : '$&')
}

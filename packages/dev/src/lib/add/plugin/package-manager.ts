import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { ProgramIo } from '@botwright/framework/start'
import { readPackageJson } from '@botwright/framework/start'
import { slashed } from '../../files/path-below.ts'

const names = ['npm', 'pnpm', 'yarn', 'bun'] as const
type Name = (typeof names)[number]

/** The lock files of each package manager, the newest first. */
const lockFiles: Readonly<Record<Name, readonly string[]>> = {
  npm: ['package-lock.json', 'npm-shrinkwrap.json'],
  pnpm: ['pnpm-lock.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
}

/** The package that a command is about: of the registry, or a file or folder of this machine. */
export interface Wanted {
  name: string
  /** `@acme/kudos@^1`, if it is on the registry. */
  spec?: string
  /** The absolute path of its folder or tarball. */
  path?: string
  isFolder?: boolean
}

/** The result of a command. */
interface Ran {
  ok: boolean
  stdout: string
  /** The lines that name the error, if it failed. */
  reason: string
}

/** The arguments of its commands. */
interface Commands {
  /** Prints the package.json of a package on the registry. */
  view: (spec: string) => readonly string[]
  add: (wanted: Wanted) => readonly string[]
  remove: (name: string) => readonly string[]
  /** Installs what package.json and the lock file list. */
  sync: readonly string[]
}

/** The package manager of a bot. */
export interface PackageManager extends Commands {
  name: Name
  /** The absolute path of its lock file; undefined if there is none yet. */
  lockFile: string | undefined
  run(args: readonly string[]): Promise<Ran>
}

/** Output of one command. The registry's facts about a package with thousands of versions have some megabytes. */
const LONGEST_OUTPUT = 32 * 2 ** 20

/** The package manager of a bot, which runs in its folder. */
export async function packageManagerOf(root: string, io: ProgramIo): Promise<PackageManager> {
  const { name, lockFile } = detectManager(root, io.env)
  const run = (args: readonly string[]) => runProgram(name, args, root, io)
  const isNewYarn = name === 'yarn' && !(await run(['--version'])).stdout.startsWith('1.')
  return { name, lockFile, run, ...commandsOf(name, { root, isNewYarn }) }
}

/**
 * Finds the package manager that installed a bot. The nearest folder with a lock file or with the field `packageManager` decides, because
 * a workspace has them in its root. A repository ends the search.
 */
export function detectManager(root: string, env: NodeJS.ProcessEnv): Pick<PackageManager, 'name' | 'lockFile'> {
  for (let at = root; ; at = dirname(at)) {
    const named = (readPackageJson(at) as { packageManager?: unknown } | undefined)?.packageManager
    const byField = names.find((one) => typeof named === 'string' && named.startsWith(`${one}@`))
    const name = byField ?? names.find((one) => lockFiles[one].some((file) => existsSync(join(at, file))))
    if (name !== undefined) {
      const file = lockFiles[name].find((one) => existsSync(join(at, one)))
      return { name, lockFile: file === undefined ? undefined : join(at, file) }
    }
    if (dirname(at) === at || existsSync(join(at, '.git'))) return { name: calling(env), lockFile: undefined }
  }
}

/** Newer versions of Yarn have other commands than Yarn 1, and other names for local packages. */
export function commandsOf(name: Name, { root, isNewYarn }: { root: string; isNewYarn: boolean }): Commands {
  const own = (path: string) => {
    const below = slashed(relative(root, path))
    return below.startsWith('.') ? below : `./${below}`
  }
  const view = name === 'npm' || name === 'pnpm' ? ['view'] : isNewYarn ? ['npm', 'info'] : ['info']
  return {
    view: (spec) => [...view, spec, '--json'],
    add({ name: wanted, spec = wanted, path, isFolder = false }) {
      const verb = name === 'npm' ? 'install' : 'add'
      if (path === undefined) return [verb, spec]
      if (name !== 'yarn') return [verb, own(path)]
      const protocol = isFolder ? (isNewYarn ? 'portal' : 'link') : 'file'
      return [verb, `${isNewYarn ? `${wanted}@` : ''}${protocol}:${own(path)}`]
    },
    remove: (wanted) => [name === 'npm' ? 'uninstall' : 'remove', wanted],
    sync: ['install'],
  }
}

/** The package manager that runs this command. */
const calling = (env: NodeJS.ProcessEnv): Name =>
  names.find((one) => env['npm_config_user_agent']?.startsWith(`${one}/`)) ?? 'npm'

/** Runs it in the bot's folder. A signal to this process ends it, so that the caller can undo its work. */
function runProgram(name: Name, args: readonly string[], cwd: string, { env, signals }: ProgramIo): Promise<Ran> {
  const isWindows = process.platform === 'win32'
  // `npm run --silent` sets a level for its children that hides the reason of an error.
  const loud = { ...env, npm_config_loglevel: 'error' }
  return new Promise((resolve) => {
    const child = execFile(
      name,
      isWindows ? args.map((one) => `"${one}"`) : args,
      { cwd, env: loud, shell: isWindows, maxBuffer: LONGEST_OUTPUT },
      (error, stdout, stderr) => {
        for (const one of ['SIGINT', 'SIGTERM'] as const) signals.off(one, end)
        const isMissing = error?.code === 'ENOENT'
        const reason = isMissing ? `${name} is not installed` : errorLines(`${stdout}\n${stderr}`)
        resolve({ ok: error === null, stdout, reason })
      },
    )
    const end = () => child.kill('SIGTERM')
    for (const one of ['SIGINT', 'SIGTERM'] as const) signals.on(one, end)
  })
}

/** The lines that name the error, without the location of a log; pnpm has them only in JSON. */
function errorLines(text: string): string {
  const lines = text
    .slice(-20_000)
    .split('\n')
    .filter((line) => line.trim() !== '' && !/complete log|_logs/i.test(line))
  const errors = lines.filter((line) => /err|404|YN(?!0000)\d{4}/i.test(line))
  const plain = errors.filter((line) => !/^\s*[{}"]/.test(line))
  const [best = []] = [plain, errors, lines].filter((some) => some.length > 0)
  return best.slice(0, 3).join('\n').slice(0, 600)
}

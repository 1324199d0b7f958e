import { execFile } from 'node:child_process'
import { ScaffoldError } from './scaffold-error.ts'

export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const
export type PackageManager = (typeof packageManagers)[number]

/** The lock file of each package manager. */
export const lockFiles: Readonly<Record<PackageManager, string>> = {
  npm: 'package-lock.json',
  pnpm: 'pnpm-lock.yaml',
  yarn: 'yarn.lock',
  bun: 'bun.lock',
}

/** The package manager that runs create-bot: a new folder has no lock file to detect one by. */
export function callingPackageManager(env: Readonly<Record<string, string | undefined>>): PackageManager {
  const name = env['npm_config_user_agent']?.split('/')[0]
  return packageManagers.find((one) => one === name) ?? 'npm'
}

/** @throws ScaffoldError for an unknown name. */
export function readPackageManager(name: string): PackageManager {
  const known = packageManagers.find((one) => one === name)
  if (known) return known
  throw new ScaffoldError(
    'ERR_PACKAGE_MANAGER',
    `unknown package manager "${name}"; choose one of: ${packageManagers.join(', ')}`,
  )
}

/** Returns its version; rejects with ScaffoldError if it is not installed. */
export function versionOf(manager: PackageManager, cwd: string): Promise<string> {
  return new Promise((resolve, reject) =>
    execFile(manager, ['--version'], { cwd, shell: process.platform === 'win32' }, (error, stdout) => {
      if (!error) return resolve(stdout.trim())
      const fix =
        manager === 'npm'
          ? 'install Node, which includes npm'
          : `run npm install --global ${manager}, or choose another one`
      reject(new ScaffoldError('ERR_PACKAGE_MANAGER', `cannot run ${manager}; ${fix}`, { cause: error }))
    }),
  )
}

/** Whether this is Yarn 2 or later, which has different commands, settings and lock files. */
export const isNewYarn = (manager: PackageManager, version: string): boolean =>
  manager === 'yarn' && version !== '' && !version.startsWith('1.')

/** The command that runs a script. Without `run`, `yarn check` would be Yarn's own command. */
export const runs = (manager: PackageManager, script: string): string => `${manager} run ${script}`

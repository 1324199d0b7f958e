import { execFile } from 'node:child_process'
import { ScaffoldError } from './scaffold-error.ts'

export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const
export type PackageManager = (typeof packageManagers)[number]

/** The one that was used to start this: a new folder shows none of its own yet. */
export function callingPackageManager(env: Readonly<Record<string, string | undefined>>): PackageManager {
  const name = env['npm_config_user_agent']?.split('/')[0]
  return packageManagers.find((one) => one === name) ?? 'npm'
}

/** @throws ScaffoldError when the name is none of those that are known. */
export function readPackageManager(name: string): PackageManager {
  const known = packageManagers.find((one) => one === name)
  if (known) return known
  throw new ScaffoldError(
    'ERR_PACKAGE_MANAGER',
    `there is no package manager "${name}" here; choose one of: ${packageManagers.join(', ')}`,
  )
}

/** Its version; rejects with ScaffoldError when it is not installed. */
export function versionOf(manager: PackageManager, cwd: string): Promise<string> {
  return new Promise((resolve, reject) =>
    execFile(manager, ['--version'], { cwd, shell: process.platform === 'win32' }, (error, stdout) => {
      if (!error) return resolve(stdout.trim())
      const fix = manager === 'npm' ? 'install Node with npm' : `npm install --global ${manager}, or choose another one`
      reject(new ScaffoldError('ERR_PACKAGE_MANAGER', `${manager} cannot be run; ${fix}`, { cause: error }))
    }),
  )
}

/** Whether this is Yarn 2 or later: it has commands, settings and a lock file of its own. */
export const isNewYarn = (manager: PackageManager, version: string): boolean =>
  manager === 'yarn' && version !== '' && !version.startsWith('1.')

/** How a person runs a script. Without `run`, `yarn check` would be Yarn's own command. */
export const runs = (manager: PackageManager, script: string): string => `${manager} run ${script}`

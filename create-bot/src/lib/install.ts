import { spawn } from 'node:child_process'
import { installDependencies } from 'nypm'
import { killTree } from './kill-tree.ts'
import { isNewYarn, type PackageManager } from './package-manager.ts'

/** Prefer cached packages; a new bot does not need an audit. */
const more: Readonly<Record<PackageManager, readonly string[]>> = {
  npm: ['--prefer-offline', '--no-audit', '--no-fund'],
  pnpm: ['--prefer-offline'],
  // Newer versions have no such option and prefer their cache anyway.
  yarn: [],
  bun: [],
}

/** The result of an installation; `reason` is the last output of a package manager that failed. */
export interface Installed {
  ok: boolean
  reason: string
}

/** Installs a bot's packages. `started` receives a function that kills the installer and its child processes. */
export async function install(options: {
  cwd: string
  packageManager: PackageManager
  version: string
  started: (kill: () => void) => void
}): Promise<Installed> {
  const { cwd, packageManager, version, started } = options
  const { exec } = await installDependencies({ cwd, packageManager, dry: true, corepack: false })
  if (!exec) throw new Error(`nypm has no command for ${packageManager}`)
  return new Promise((resolve) => {
    const windows = process.platform === 'win32'
    // If CI is set, newer versions of Yarn refuse to write the first lock file.
    const first = isNewYarn(packageManager, version) ? ['--no-immutable'] : []
    const child = spawn(exec.command, [...exec.args, ...more[packageManager], ...first], {
      cwd,
      // A separate process group, so that all of it can be killed before its files are removed.
      detached: !windows,
      shell: windows,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    started(() => killTree(child))
    let output = ''
    const collect = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000))
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', (error) => resolve({ ok: false, reason: error.message }))
    child.once('close', (code) => resolve({ ok: code === 0, reason: lastLines(output) }))
  })
}

/** The error lines of a failed installation, without the location of its log. Yarn 2 and later number their errors. */
function lastLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const errors = lines.filter(
    (line) => /err|YN(?!0000)\d{4}/i.test(line) && !/complete log|_logs|failed with errors/i.test(line),
  )
  return (errors.length > 0 ? errors : lines).slice(0, 4).join('\n')
}

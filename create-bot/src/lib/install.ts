import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { installDependencies } from 'nypm'
import { isNewYarn, type PackageManager } from './package-manager.ts'

/** Packages that were fetched before need no network; nobody reads an audit of a bot that is a minute old. */
const more: Readonly<Record<PackageManager, readonly string[]>> = {
  npm: ['--prefer-offline', '--no-audit', '--no-fund'],
  pnpm: ['--prefer-offline'],
  // Its newer versions take no such option, and prefer their cache by themselves.
  yarn: [],
  bun: [],
}

/** How an installation went; `told` is what the package manager said last when it failed. */
export interface Installed {
  ok: boolean
  told: string
}

/** Installs a bot's packages. `started` gets a function that ends it at once, with everything that it has started. */
export async function install(options: {
  cwd: string
  packageManager: PackageManager
  version: string
  started: (kill: () => void) => void
}): Promise<Installed> {
  const { cwd, packageManager, version, started } = options
  const { exec } = await installDependencies({ cwd, packageManager, dry: true, corepack: false })
  if (!exec) throw new Error(`nypm knows no command for ${packageManager}`)
  return new Promise((resolve) => {
    const windows = process.platform === 'win32'
    // Where CI is set, newer versions of Yarn refuse to write the first lock file.
    const first = isNewYarn(packageManager, version) ? ['--no-immutable'] : []
    const child = spawn(exec.command, [...exec.args, ...more[packageManager], ...first], {
      cwd,
      // A group of its own, so that it ends whole, and not before its files are taken back.
      detached: !windows,
      shell: windows,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    started(() => killTree(child))
    let told = ''
    const hear = (chunk: Buffer) => (told = (told + chunk.toString()).slice(-4000))
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('error', (error) => resolve({ ok: false, told: error.message }))
    child.once('close', (code) => resolve({ ok: code === 0, told: lastLines(told) }))
  })
}

function killTree(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'])
    return
  }
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** What is worth reading of a failed installation: its errors, without the location of its log. Yarn 2 and later give each a number. */
function lastLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const errors = lines.filter(
    (line) => /err|YN(?!0000)\d{4}/i.test(line) && !/complete log|_logs|failed with errors/i.test(line),
  )
  return (errors.length > 0 ? errors : lines).slice(0, 4).join('\n')
}

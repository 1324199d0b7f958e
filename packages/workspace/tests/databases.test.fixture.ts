import { execFile, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'

const run = promisify(execFile)

export const NO_POSTGRES = 'PostgreSQL is not installed (Debian: apt-get install postgresql)'

/** A temporary folder of the test. */
export function temporary(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `botwright-${name}-`))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** The folder of the programs of PostgreSQL; undefined if there is none. */
export function findPostgres(): string | undefined {
  return ['/usr/lib/postgresql', '/usr/local/pgsql', '/opt/homebrew/opt/postgresql']
    .flatMap((folder) => [join(folder, 'bin'), ...filesIn(folder).map((version) => join(folder, version, 'bin'))])
    .find((folder) => filesIn(folder).includes('initdb'))
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Starts a PostgreSQL of the test's own, on a socket in a temporary folder. Resolves with its URL. */
export async function startPostgres(bin: string): Promise<string> {
  const folder = temporary('postgres')
  // PostgreSQL refuses to run as root.
  const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  await run(join(bin, 'initdb'), ['-D', data, '-U', 'bot', '--auth=trust', '--no-sync', '-E', 'UTF8'], owner)
  const server = spawn(join(bin, 'postgres'), ['-D', data, '-k', folder, '-c', 'listen_addresses='], {
    ...owner,
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  onTestFinished(async () => {
    server.kill('SIGINT')
    await ended
  })
  await expect
    .poll(() =>
      run(join(bin, 'pg_isready'), ['-h', folder]).then(
        () => 'ready',
        ({ stdout }: { stdout: string }) => stdout,
      ),
    )
    .toBe('ready')
  return `postgresql://bot@localhost/postgres?host=${encodeURIComponent(folder)}`
}

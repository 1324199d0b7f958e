import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { addIntegrity, completeLock, type LockFile } from './lib/complete-lock.ts'

const run = promisify(execFile)

/** The registry's digest of one version. Undefined if the package or version does not exist; rejects on any other failure. */
async function integrityOf(name: string, version: string): Promise<string | undefined> {
  try {
    const args = ['view', `${name}@${version}`, 'dist.integrity', '--json']
    const { stdout } = await run('npm', args, { shell: process.platform === 'win32' })
    return stdout.trim() === '' ? undefined : (JSON.parse(stdout) as string)
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    if (/\bE404\b/.test(stdout + stderr)) return undefined
    throw error
  }
}

// Run after every `npm install`: adds digests, and entries for platforms that the registry did not offer, so that `npm ci` accepts the lock files.
const paths = ['', 'packages/workspace/tools/', 'packages/workspace/tests/fixtures/packages-bot/']
for (const path of paths.map((folder) => `${folder}package-lock.json`)) {
  const file = new URL(`../../../${path}`, import.meta.url)
  const lock = JSON.parse(await readFile(file, 'utf8')) as LockFile
  const added = completeLock(lock)
  const unknown = await addIntegrity(lock, integrityOf)
  await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(added.length === 0 ? `${path} is complete` : `${path}: added ${added.length}: ${added.join(', ')}`)
  if (unknown.length > 0) console.log(`${path}: the registry has no digest of ${unknown.length}: ${unknown.join(', ')}`)
}

import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Where a session keeps its modules: two sessions in one folder must not take each other's away. */
export function sessionFolder(root: string): string {
  return join(root, '.botwright/dev', String(process.pid))
}

/** Removes what sessions have left that were killed. */
export async function removeDeadSessions(root: string): Promise<void> {
  const folder = join(root, '.botwright/dev')
  const names = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  })
  const dead = names.filter((name) => Number(name) === process.pid || !isAlive(Number(name)))
  await Promise.all(dead.map((name) => rm(join(folder, name), { recursive: true, force: true })))
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It lives, and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

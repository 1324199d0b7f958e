import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive } from '@botwright/framework/start'

/** The folder of a session's modules: two sessions in one folder must not delete each other's modules. */
export function sessionFolder(root: string): string {
  return join(root, '.botwright/dev', String(process.pid))
}

/** Removes the leftovers of killed processes: those of `framework dev`, or those of tests and of checks, `<pid>-<anything>`. */
export async function removeDeadSessions(root: string, kind: 'dev' | 'test' | 'check' = 'dev'): Promise<void> {
  const folder = join(root, '.botwright', kind)
  const names = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  })
  const dead = names.filter((name) => {
    const pid = Number(name.replace(/-.*$/, ''))
    return pid === process.pid ? kind === 'dev' : !isAlive(pid)
  })
  await Promise.all(dead.map((name) => rm(join(folder, name), { recursive: true, force: true })))
}

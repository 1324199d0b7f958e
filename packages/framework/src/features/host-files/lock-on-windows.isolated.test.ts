import type * as fileSystem from 'node:fs'
import { mkdtempSync, readdirSync, rmSync, type RmOptions } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lockSupervisor, type SupervisorLock } from './lock.ts'

// Windows does not delete a file that a process has open.
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof fileSystem>()
  const isOpen = (path: string) =>
    fs.readdirSync('/proc/self/fd').some((fd) => {
      try {
        return fs.readlinkSync(`/proc/self/fd/${fd}`) === path
      } catch {
        // The descriptor with which `/proc/self/fd` itself is read is already closed.
        return false
      }
    })
  const rmSync = (path: string, options?: RmOptions) => {
    if (isOpen(path)) throw Object.assign(new Error(`EBUSY: ${path}`), { code: 'EBUSY' })
    fs.rmSync(path, options)
  }
  return { ...fs, rmSync }
})

const bot = { baseUrl: 'http://127.0.0.1:9/v1', botId: 'b', username: 'helper' }
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'botwright-lock-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Releases the lock as on Windows. Only this step is simulated, because the SQLite driver is that of this system. */
function release(lock: SupervisorLock): void {
  const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('win32')
  try {
    lock.release()
  } finally {
    platform.mockRestore()
  }
}

test('keeps the file of a released lock on Windows, without locking it', () => {
  for (let round = 0; round < 3; round++) {
    const lock = lockSupervisor({ ...bot, folder })
    expect(() => lockSupervisor({ ...bot, folder })).toThrow(`as process ${process.pid}, on `)
    release(lock)
    expect(readdirSync(folder)).toHaveLength(1)
  }
})

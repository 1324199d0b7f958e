import type * as fileSystem from 'node:fs'
import { mkdtempSync, readdirSync, rmSync, type RmOptions } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lockSupervisor, type SupervisorLock } from './lock.ts'

// Windows deletes no file that a process has open.
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof fileSystem>()
  const isOpen = (path: string) =>
    fs.readdirSync('/proc/self/fd').some((fd) => {
      try {
        return fs.readlinkSync(`/proc/self/fd/${fd}`) === path
      } catch {
        // It was the descriptor of this reading.
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

/** The driver of SQLite is that of this system, so only the release is on Windows. */
function release(lock: SupervisorLock): void {
  const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('win32')
  try {
    lock.release()
  } finally {
    platform.mockRestore()
  }
}

test('on Windows the file of a released lock stays, and the lock is free', () => {
  for (let round = 0; round < 3; round++) {
    const lock = lockSupervisor({ ...bot, folder })
    expect(() => lockSupervisor({ ...bot, folder })).toThrow(`as process ${process.pid}, on `)
    release(lock)
    expect(readdirSync(folder)).toHaveLength(1)
  }
})

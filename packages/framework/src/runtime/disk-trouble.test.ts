import { expect, test } from 'vitest'
import { diskTrouble } from './disk-trouble.ts'

const failed = (code: string, syscall: string, path?: string) =>
  Object.assign(new Error(`${code}: …`), { code, syscall, ...(path !== undefined && { path }) })

test.each([
  ['ENOSPC', 'write', undefined, '/bot: the disk is full: free some space (write: ENOSPC)'],
  ['EROFS', 'mkdtemp', '/bot/a', '/bot/a: the disk is read-only: make it writable (mkdtemp: EROFS)'],
  ['EACCES', 'open', '/bot/b', '/bot/b: permission denied: give the user of this process access (open: EACCES)'],
])('describes a disk error (%s) with the fix', (code, syscall, path, text) => {
  expect(diskTrouble(failed(code, syscall, path), '/bot')).toBe(text)
})

test('ignores the same codes from file watchers, ports and programs, and any other error', () => {
  for (const [code, syscall] of [
    ['ENOSPC', 'watch'],
    ['EACCES', 'listen'],
    ['EACCES', 'spawn'],
    ['ENOENT', 'open'],
  ])
    expect(diskTrouble(failed(code!, syscall!), '/bot')).toBeUndefined()
  expect(diskTrouble(new Error('odd'), '/bot')).toBeUndefined()
  expect(diskTrouble(undefined, '/bot')).toBeUndefined()
})

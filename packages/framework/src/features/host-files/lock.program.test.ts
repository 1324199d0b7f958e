import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lockFile, lockInstance, lockSupervisor, userLockFolder } from './lock.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const bot = { baseUrl: 'http://127.0.0.1:9/v1', botId: 'b', username: 'helper' }
const built = fileURLToPath(new URL('../../../dist/features/host-files/lock.js', import.meta.url))
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'botwright-lock-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs code in another process and resolves with its output. */
const run = (code: string) =>
  new Promise<string>((resolve) =>
    execFile(process.execPath, ['--input-type=module', '-e', code], (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    ),
  )
const take = `const { lockSupervisor } = await import(${JSON.stringify(built)})
const take = (folder) => lockSupervisor({ ...${JSON.stringify(bot)}, folder })`

test('names the process that holds the lock, and releases the lock of a killed process', async () => {
  const lock = lockSupervisor({ ...bot, folder })
  const refused = `${take}; try { take(${JSON.stringify(folder)}) } catch (e) { console.log(e.code, e.message) }`
  expect(await run(refused)).toMatch(new RegExp(`^ERR_ALREADY_RUNNING .*as process ${process.pid}, on `))
  lock.release()
  expect(readdirSync(folder)).toEqual([])
  await run(`${take}; take(${JSON.stringify(folder)}); process.kill(process.pid, 'SIGKILL')`)
  expect(existsSync(lockFile({ ...bot, folder }))).toBe(true)
  lockSupervisor({ ...bot, folder }).release()
  expect(readdirSync(folder)).toEqual([])
})

test('replaces a lock file that a killed process left damaged', () => {
  writeFileSync(lockFile({ ...bot, folder }), 'SQLite format 3\0'.padEnd(4096, 'x'))
  lockSupervisor({ ...bot, folder }).release()
})

test(
  'lets instances of a cluster share the lock, and rejects a single instance beside them',
  { tags: ['all/processes'] },
  async () => {
    const one = lockInstance({ ...bot, folder })
    const other = lockInstance({ ...bot, folder })
    const alone = `${take}; try { take(${JSON.stringify(folder)}); console.log('runs') } catch (e) { console.log(e.code) }`
    expect(() => lockSupervisor({ ...bot, folder })).toThrow('is already running on this host')
    expect(await run(alone)).toBe('ERR_ALREADY_RUNNING\n')
    one.release()
    expect(await run(alone)).toBe('ERR_ALREADY_RUNNING\n')
    other.release()
    expect(await run(alone)).toBe('runs\n')
    using _single = lockSupervisor({ ...bot, folder })
    expect(() => lockInstance({ ...bot, folder })).toThrow(`as process ${process.pid}, on `)
  },
)

test('runs an instance of a cluster without a lock if the file cannot be created', () => {
  lockInstance({ ...bot, folder: join(folder, 'missing') }).release()
})

test('never gives the lock to two of many competing processes', slow, async () => {
  const processes = 4
  const started = join(folder, 'started')
  mkdirSync(started)
  // The holder creates this file exclusively, which fails if another process holds the lock too.
  const inside = JSON.stringify(join(folder, 'inside'))
  const work = `${take}
    const { openSync, closeSync, readdirSync, rmSync, writeFileSync } = await import('node:fs')
    const started = ${JSON.stringify(started)}
    writeFileSync(started + '/' + process.pid, '')
    while (readdirSync(started).length < ${processes});
    let held = 0
    while (held < 20) {
      let lock
      try { lock = take(${JSON.stringify(folder)}) } catch (e) { if (e.code !== 'ERR_ALREADY_RUNNING') throw e; continue }
      closeSync(openSync(${inside}, 'wx'))
      held++
      rmSync(${inside})
      lock.release()
    }
    console.log('held', held)`
  const ends = await Promise.all(Array.from({ length: processes }, () => run(work)))
  expect(ends).toEqual(Array(processes).fill('held 20\n'))
  expect(readdirSync(folder)).toEqual(['started'])
})

/** Stands for the computer's folders: a home folder, and one for temporary files. */
function useFolders(home = join(folder, 'home')) {
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  vi.stubEnv('HOME', home).stubEnv('XDG_STATE_HOME', undefined).stubEnv('TMPDIR', temporary)
  return { home, temporary }
}

test('cleaning temporary files does not end the lock, and a foreign file among them blocks no bot', async () => {
  const { home, temporary } = useFolders()
  writeFileSync(join(temporary, `botwright-${process.getuid!()}`), '')
  using _lock = lockSupervisor(bot)
  expect(statSync(join(home, '.local/state/botwright/locks')).mode & 0o777).toBe(0o700)
  rmSync(temporary, { recursive: true })
  expect(() => lockSupervisor(bot)).toThrow('is already running on this host')
  const refused = `${take}; try { take(); console.log('runs') } catch (e) { console.log(e.code) }`
  expect(await run(refused)).toBe('ERR_ALREADY_RUNNING\n')
})

test.each(['', 'relative', 'state'])('keeps the lock in XDG_STATE_HOME if it is absolute (%s)', (given) => {
  const { home } = useFolders()
  vi.stubEnv('XDG_STATE_HOME', given === 'state' ? join(folder, given) : given)
  const parent = given === 'state' ? join(folder, given) : join(home, '.local/state')
  expect(dirname(lockFile(bot))).toBe(join(parent, 'botwright/locks'))
})

test('keeps the lock in the temporary folder if the home folder cannot be written or is of another user', () => {
  const { temporary } = useFolders(join(folder, 'file'))
  writeFileSync(join(folder, 'file'), '')
  expect(dirname(lockFile(bot))).toBe(join(temporary, `botwright-${process.getuid!()}`))
  mkdirSync(join(folder, 'state/botwright/locks'), { recursive: true })
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'))
  expect(lockFile(bot)).toContain(join(folder, 'state'))
  const me = process.getuid!()
  vi.spyOn(process, 'getuid').mockReturnValue(me + 1)
  // This temporary folder belongs to the real user as well.
  expect(() => lockFile(bot)).toThrow(`${join(temporary, `botwright-${me + 1}`)} belongs to user ${me}`)
})

test('keeps the locks in a folder that only this user can enter', () => {
  const own = userLockFolder(folder)
  expect(own).toBe(join(folder, `botwright-${process.getuid!()}`))
  expect(statSync(own).mode & 0o777).toBe(0o700)
  chmodSync(own, 0o777)
  expect(userLockFolder(folder)).toBe(own)
  expect(statSync(own).mode & 0o777).toBe(0o700)
})

test('rejects a symbolic link or a file in place of the lock folder', () => {
  const own = join(folder, `botwright-${process.getuid!()}`)
  const target = join(folder, 'target')
  mkdirSync(target, { mode: 0o755 })
  symlinkSync(target, own)
  const fix = 'Remove it, or set TMPDIR to a folder of your own'
  expect(() => userLockFolder(folder)).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }))
  expect(() => userLockFolder(folder)).toThrow(`${own} is a symbolic link, so it cannot hold the lock`)
  expect(() => userLockFolder(folder)).toThrow(fix)
  expect(statSync(target).mode & 0o777).toBe(0o755)
  rmSync(own)
  writeFileSync(own, '')
  expect(() => userLockFolder(folder)).toThrow(`${own} is not a folder, so`)
})

test('rejects a lock folder that another user created', () => {
  // Pretends to be another user, so that the folder belongs to someone else, whichever user runs the tests.
  const me = process.getuid!()
  vi.spyOn(process, 'getuid').mockReturnValue(me + 1)
  mkdirSync(join(folder, `botwright-${me + 1}`))
  expect(() => userLockFolder(folder)).toThrow(`belongs to user ${me}, and this process runs as user ${me + 1}`)
  vi.restoreAllMocks()
})

test('every version of the framework finds the same lock file', () => {
  expect(lockFile({ ...bot, folder })).toBe(join(folder, '47c5d88b24be4ecd17aefe29dc35d90c.lock'))
})

import { spawn } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { availableDrivers, openDatabase } from '@botwright/sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'

const checkout = fileURLToPath(new URL('../../../../..', import.meta.url))
const program = join(checkout, 'packages/framework/bin/framework.cjs')
const onUnix = test.skipIf(process.platform === 'win32')
let root: string
let oldMask: number

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'botwright-modes-'))
  oldMask = process.umask(0)
})
afterEach(() => {
  process.umask(oldMask)
  rmSync(root, { recursive: true, force: true })
})

/** The modes of a folder and of every file below it, by path. */
function modes(folder: string): [path: string, mode: string][] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return [folder, ...paths].map((path) => [path.slice(root.length), (lstatSync(path).mode & 0o777).toString(8)])
}
const loose = (folder: string, isPrivate: (path: string) => boolean) =>
  modes(folder).filter(([path, mode]) => isPrivate(path) && !/^[67]00$/.test(mode))

onUnix.each(availableDrivers())('a database on %s and the files beside it are private, with umask 0', (driver) => {
  const file = join(root, 'private.db')
  using db = openDatabase(file, { driver })
  db.exec('CREATE TABLE x (y); INSERT INTO x VALUES (1)')
  expect(readdirSync(root).toSorted()).toEqual(['private.db', 'private.db-shm', 'private.db-wal'])
  expect(loose(root, (path) => path !== '')).toEqual([])
})

onUnix.each(availableDrivers())('a database on %s that an earlier release made is tightened', (driver) => {
  const file = join(root, 'old.db')
  const first = openDatabase(file, { driver })
  first.exec('CREATE TABLE x (y); INSERT INTO x VALUES (1)')
  for (const suffix of ['', '-wal', '-shm']) chmodSync(file + suffix, 0o666)
  using second = openDatabase(file, { driver })
  expect(second.prepare('SELECT y FROM x').get()).toEqual({ y: 1 })
  expect(loose(root, (path) => path !== '')).toEqual([])
  // The locks of the first connection are still held.
  first.exec('BEGIN IMMEDIATE')
  using third = openDatabase(file, { driver, busyTimeoutMs: 1 })
  expect(() => third.exec('BEGIN IMMEDIATE')).toThrow(expect.objectContaining({ code: 'busy' }))
  first.exec('ROLLBACK')
  first.close()
})

onUnix(
  'framework dev keeps state, journal, history, world, chat and lock private, also in folders of an earlier release',
  async () => {
    const temporary = join(root, 'tmp')
    for (const folder of ['commands', 'node_modules', '.botwright', 'tmp'])
      mkdirSync(join(root, folder), { mode: 0o777 })
    symlinkSync(join(checkout, 'node_modules/@botwright'), join(root, 'node_modules/@botwright'))
    writeFileSync(join(root, 'package.json'), '{"type":"module"}')
    writeFileSync(
      join(root, 'commands/ping.ts'),
      "import { command } from '@botwright/framework'\nexport default command({ description: 'Answers', run: () => 'pong' })\n",
    )
    const env = { ...process.env, BOT_TOKEN: '', NO_COLOR: '1', TMPDIR: temporary, XDG_STATE_HOME: join(root, 'state') }
    const child = spawn(process.execPath, [program, 'dev', '--port', '0', '--data', 'chat.db'], { cwd: root, env })
    const ended = new Promise((resolve) => child.once('close', resolve))
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
    try {
      await expect.poll(() => output).toContain('/ping')
      const names = () =>
        [...modes(join(root, '.botwright')), ...modes(temporary), ...modes(root)].map(([path]) => path)
      const kept = ['/.botwright/journal.db', '/.botwright/history.dev.db', '/.botwright/world.json', '/chat.db']
      await expect.poll(names).toEqual(expect.arrayContaining(kept))
      expect(loose(join(root, '.botwright'), (path) => !path.startsWith('/.botwright/dev'))).toEqual([])
      expect(loose(root, (path) => /^\/chat\.db/.test(path))).toEqual([])
      const locks = join(root, 'state/botwright/locks')
      expect(readdirSync(locks)).toHaveLength(1)
      expect(loose(locks, () => true)).toEqual([])
    } finally {
      child.kill('SIGTERM')
      await ended
    }
  },
)

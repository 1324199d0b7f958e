import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BotWatcher, type Changes } from './watch.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

let root: string
let told: Changes[]
let watcher: BotWatcher
let hold: Promise<void> | undefined

const watch = (options: { quietMs?: number; onError?: (error: Error) => void } = {}) =>
  new BotWatcher({
    root,
    onChanges: async (changes) => {
      told.push(changes)
      await hold
    },
    onError: (error) => {
      throw error
    },
    ...options,
  })

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'botwright-watch-'))
  await mkdir(join(root, 'commands'))
  await mkdir(join(root, 'node_modules'))
  for (const name of ['a', 'b', 'c']) await writeFile(join(root, `commands/${name}.ts`), '1')
  told = []
  hold = undefined
  watcher = watch()
  await watcher.start()
})
afterEach(async () => {
  await watcher.close()
  await rm(root, { recursive: true, force: true })
})

const saved = () => [...new Set(told.flatMap((changes) => [...changes.saved]))].sort()

test('a burst of saves is reported once; node_modules and hidden folders are not watched', async () => {
  await watcher.close()
  // On a busy machine, the system reports the saves of one moment at different times.
  watcher = watch({ quietMs: 500 })
  await watcher.start()
  writeFileSync(join(root, 'node_modules/x.js'), '2')
  for (const name of ['a', 'b', 'c']) writeFileSync(join(root, `commands/${name}.ts`), '2')
  await expect.poll(() => saved()).toEqual(['commands/a.ts', 'commands/b.ts', 'commands/c.ts'])
  await watcher.settled()
  // The first save alone is reported at once, and all others together.
  expect(told.length).toBeLessThanOrEqual(2)
})

test('a folder of handlers may have the name of a build or a report', async () => {
  const inPlugin = 'plugins/kudos/commands/dist'
  for (const folder of ['dist', 'commands/coverage/dist', inPlugin])
    await mkdir(join(root, folder), { recursive: true })
  for (const file of ['dist/x.ts', 'commands/coverage/a.ts', 'commands/coverage/dist/b.ts', `${inPlugin}/c.ts`])
    await writeFile(join(root, file), '1')
  const added = () => told.flatMap((changes) => [...changes.added]).sort()
  await expect.poll(added).toEqual(['commands/coverage/a.ts', 'commands/coverage/dist/b.ts', `${inPlugin}/c.ts`])
})

test('an editor that renames a new file over the old one has saved it', async () => {
  await writeFile(join(root, 'commands/a.ts~'), '2 and more')
  await rename(join(root, 'commands/a.ts~'), join(root, 'commands/a.ts'))
  await expect.poll(() => saved()).toContain('commands/a.ts')
  expect(told.flatMap((changes) => [...changes.removed])).not.toContain('commands/a.ts')
})

test('a file written in two halves is reported again when it is complete', async () => {
  const file = await open(join(root, 'commands/a.ts'), 'w')
  await file.write('first half')
  await wait(30)
  const before = told.length
  await file.write(', second half')
  await file.close()
  await expect.poll(() => told.length).toBeGreaterThan(before)
})

test('waits until an empty file has content', async () => {
  const file = await open(join(root, 'commands/a.ts'), 'w')
  await wait(60)
  expect(told).toEqual([])
  await file.write('whole')
  await file.close()
  await expect.poll(() => saved()).toEqual(['commands/a.ts'])
})

test('saves during a reload are reported after it, never during it', async () => {
  let release = () => {}
  hold = new Promise((resolve) => (release = resolve))
  await writeFile(join(root, 'commands/a.ts'), '22')
  await expect.poll(() => told.length).toBe(1)
  await writeFile(join(root, 'commands/b.ts'), '22')
  await wait(100)
  expect(told.length).toBe(1)
  hold = undefined
  release()
  await expect.poll(() => saved()).toEqual(['commands/a.ts', 'commands/b.ts'])
})

test('temporary files of editors are not reported', async () => {
  const beside = [
    '.a.ts.swp',
    '4913',
    'a.ts~',
    '#a.ts#',
    '.#a.ts',
    'a.ts___jb_tmp___',
    'a.ts___jb_old___',
    'a.ts.tmp.123',
  ]
  for (const name of beside) await writeFile(join(root, 'commands', name), 'text')
  for (const name of beside) await rm(join(root, 'commands', name))
  // Later changes are reported, so earlier ones would have been too.
  await writeFile(join(root, 'commands/b.ts'), '2')
  await expect.poll(() => saved()).toContain('commands/b.ts')
  expect(told.flatMap((changes) => [...changes.saved, ...changes.added, ...changes.removed])).toEqual(['commands/b.ts'])
})

test('new, renamed and deleted files are reported', async () => {
  await writeFile(join(root, 'commands/d.ts'), '1')
  await rm(join(root, 'commands/b.ts'))
  await rename(join(root, 'commands/c.ts'), join(root, 'commands/e.ts'))
  const all = (of: 'added' | 'removed') => told.flatMap((changes) => [...changes[of]]).sort()
  await expect
    .poll(() => ({ added: all('added'), removed: all('removed') }))
    .toEqual({ added: ['commands/d.ts', 'commands/e.ts'], removed: ['commands/b.ts', 'commands/c.ts'] })
})

test('other files are ignored: a log in the folder may be the output of framework dev itself', async () => {
  await writeFile(join(root, 'dev.log'), 'output')
  await writeFile(join(root, 'notes.txt'), 'a note')
  await writeFile(join(root, 'commands/a.ts'), '2')
  await expect.poll(() => saved()).toEqual(['commands/a.ts'])
  expect(told.flatMap(({ added }) => [...added])).toEqual([])
})

test('other files are not watched: a bot may have more images than a system lets a process watch', async () => {
  const watches = () => process.getActiveResourcesInfo().filter((kind) => kind === 'FSEventWrap').length
  const before = watches()
  await mkdir(join(root, 'pictures'))
  for (let i = 0; i < 20; i++) await writeFile(join(root, `pictures/${i}.png`), 'a picture')
  await writeFile(join(root, 'pictures/list.ts'), '1')
  await expect.poll(() => told.flatMap(({ added }) => [...added])).toEqual(['pictures/list.ts'])
  await wait(100)
  await expect.poll(() => watches() - before).toBe(2) // the folder, and its one file of code
})

test('a folder that another one replaces at once is watched, and so are files written with their folders', async () => {
  const shared = join(root, '../', `${basename(root)}-shared`)
  const folders = [join(root, 'commands'), shared]
  const fill = (file: string) => {
    for (const folder of folders) {
      mkdirSync(join(folder, 'lib'), { recursive: true })
      writeFileSync(join(folder, 'lib', file), '1')
    }
  }
  fill('first.ts')
  watcher.add({ paths: [shared] })
  const added = () => [...new Set(told.flatMap((changes) => [...changes.added]))].map((file) => file.split('/').at(-1))
  await expect.poll(added).toEqual(['first.ts'])
  for (const folder of folders) rmSync(folder, { recursive: true })
  fill('second.ts')
  await expect.poll(() => added().filter((name) => name === 'second.ts').length).toBe(2)
  fill('third.ts')
  await expect.poll(() => added().filter((name) => name === 'third.ts').length).toBe(2)
  const removed = () => new Set(told.flatMap((changes) => [...changes.removed]))
  await expect.poll(removed).toContain('commands/a.ts')
  // Each is written while chokidar reads the new folder.
  const made = Array.from({ length: 50 }, (_, i) => `folder-${i}/file.ts`)
  for (const [i, file] of made.entries()) {
    mkdirSync(dirname(join(root, file)))
    await wait(i % 4)
    writeFileSync(join(root, file), '1')
  }
  await expect.poll(() => told.flatMap((changes) => [...changes.added])).toEqual(expect.arrayContaining(made))
  await rm(shared, { recursive: true })
})

test('a folder of the same age that replaces another one at once is watched', async () => {
  await watcher.close()
  const [folder, copy] = [join(root, 'commands'), join(root, '.copy')]
  mkdirSync(copy)
  writeFileSync(join(copy, 'a.ts'), '1')
  // As `cp -a` and programs that unpack archives do.
  for (const one of [folder, copy]) utimesSync(one, 1000, 1000)
  watcher = watch()
  await watcher.start()
  renameSync(folder, join(root, '.former'))
  renameSync(copy, folder)
  const removed = () => told.flatMap((changes) => [...changes.removed]).sort()
  await expect.poll(removed).toEqual(['commands/b.ts', 'commands/c.ts'])
  writeFileSync(join(folder, 'a.ts'), '22')
  await expect.poll(saved).toContain('commands/a.ts')
})

test('a link that leads to itself is an error of its own, and other files are reported', async () => {
  await watcher.close()
  const errors: unknown[] = []
  const onError = ({ message }: Error) => void errors.push(message)
  watcher = watch({ onError })
  await watcher.start()
  watcher.add({ paths: [join(root, 'commands/loop.ts')], read: [join(root, 'commands/loop.ts')] })
  symlinkSync('loop.ts', join(root, 'commands/loop.ts'))
  watcher.add({ paths: [join(root, 'commands/loop.ts')], read: [join(root, 'commands/loop.ts')] })
  await wait(200)
  writeFileSync(join(root, 'commands/d.ts'), '1')
  await expect.poll(() => told.flatMap(({ added }) => [...added])).toEqual(['commands/d.ts'])
  expect(new Set(errors)).toEqual(new Set([expect.stringContaining('ELOOP')]))
})

test('a file that a folder replaces at once is removed, and the files in the folder are added', async () => {
  rmSync(join(root, 'commands/b.ts'))
  mkdirSync(join(root, 'commands/b.ts'))
  writeFileSync(join(root, 'commands/b.ts/c.ts'), '1')
  const all = (of: 'added' | 'removed') => told.flatMap((changes) => [...changes[of]])
  await expect.poll(() => all('added')).toEqual(['commands/b.ts/c.ts'])
  await expect.poll(() => all('removed')).toEqual(['commands/b.ts'])
  rmSync(join(root, 'commands/b.ts'), { recursive: true })
  writeFileSync(join(root, 'commands/b.ts'), '1')
  await expect.poll(() => all('removed')).toEqual(['commands/b.ts', 'commands/b.ts/c.ts'])
  await expect.poll(() => all('added')).toEqual(['commands/b.ts/c.ts', 'commands/b.ts'])
})

test('an imported text is watched, even after an editor deletes it and writes it again', async () => {
  const text = join(root, 'commands/help.txt')
  await writeFile(text, 'one')
  await writeFile(join(root, 'commands/notes.txt'), 'one')
  watcher.add({ paths: [text] })
  await wait(200)
  expect(saved()).toEqual([])
  await writeFile(text, 'two')
  await writeFile(join(root, 'commands/notes.txt'), 'two')
  await expect.poll(() => saved()).toEqual(['commands/help.txt'])
  await rm(text)
  await expect.poll(() => told.flatMap(({ removed }) => [...removed])).toContain('commands/help.txt')
  await writeFile(text, 'three')
  await expect.poll(() => told.flatMap(({ added }) => [...added])).toContain('commands/help.txt')
  expect(saved()).toEqual(['commands/help.txt'])
})

test('an imported text that is missing is reported once it exists', async () => {
  await writeFile(join(root, 'commands/notes.txt'), 'one')
  watcher.add({ paths: [join(root, 'commands/help.txt'), join(root, 'texts/new.txt')] })
  await writeFile(join(root, 'commands/help.txt'), 'one')
  await mkdir(join(root, 'texts'))
  await writeFile(join(root, 'texts/new.txt'), 'one')
  const added = () => told.flatMap((changes) => [...changes.added]).sort()
  await expect.poll(added).toEqual(['commands/help.txt', 'texts/new.txt'])
  await writeFile(join(root, 'texts/new.txt'), 'two')
  await expect.poll(saved).toEqual(['texts/new.txt'])
})

test('a folder that the code reads is watched, unless it has more than 1,000 files', slow, async () => {
  const folders = { small: 1000, large: 1001 }
  for (const [folder, count] of Object.entries(folders)) {
    await mkdir(join(root, folder))
    for (let i = 0; i < count; i++) writeFileSync(join(root, folder, `${i}.txt`), 'one')
  }
  watcher.add({ paths: [], read: Object.keys(folders).map((folder) => join(root, folder)) })
  let text = 0
  // Again until the folder is watched: a busy machine takes a while to read it.
  const save = () => {
    for (const folder of ['large', 'small']) writeFileSync(join(root, folder, '7.txt'), `${text++}`)
    return saved()
  }
  await expect.poll(save, { interval: 300 }).toEqual(['small/7.txt'])
  await wait(300)
  expect(saved()).toEqual(['small/7.txt'])
})

import { rmSync, writeFileSync } from 'node:fs'
import { Unfinished } from '@botwright/events'
import { describe, expect, test } from 'vitest'
import { Rig } from '../../tests/dispatcher-rig.test.fixture.ts'
import { noted, sourceWith } from './resource-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const says = `import db from './db.mjs'
export default async ({ event }) => {
  note(event.content + ' ' + db.value)
  while (event.content === 'held' && !released()) await sleep(5)
  note('end ' + db.value)
}`

describe.each(['inline', 'worker'] as const)('resources on the %s dispatcher', (kind) => {
  test('open before the first handler runs, and close in reverse order when the bot stops', async () => {
    const rig = new Rig(kind)
    const pool = noted('pool', "import './db.mjs'")
    await rig.dispatcher.replace(sourceWith(rig, says, { a: pool, db: noted('db') }))
    expect(rig.notes).toEqual(['open db', 'open pool'])
    await rig.say(1, 'hello')
    await rig.dispatcher.close({ graceMs: 100 })
    expect(rig.notes).toEqual(['open db', 'open pool', 'hello db', 'end db', 'close pool', 'close db'])
    await rig[Symbol.asyncDispose]()
  })

  test('the old one of a reload closes once its handlers have ended', slow, async () => {
    await using rig = new Rig(kind)
    await rig.dispatcher.replace(sourceWith(rig, says, { db: noted('old') }))
    const running = rig.say(1, 'held')
    await expect.poll(() => rig.notes).toContain('held old')
    await rig.dispatcher.replace(sourceWith(rig, says, { db: noted('new') }))
    await rig.say(2, 'free')
    expect(rig.notes).toEqual(['open old', 'held old', 'open new', 'free new', 'end new'])
    rig.release()
    await running
    await expect.poll(() => rig.notes).toContain('close old')
    expect(rig.notes.slice(5)).toEqual(['end old', 'close old'])
  })
})

test('loads of a bot in one thread share the resource of an unchanged module, and another bot cannot open it', async () => {
  const rig = new Rig('inline')
  const source = sourceWith(rig, says, { db: noted('db') })
  await rig.dispatcher.replace(source)
  const running = rig.say(1, 'held')
  await expect.poll(() => rig.notes).toContain('held db')
  await rig.dispatcher.replace(source)
  await rig.say(2, 'free')
  rig.release()
  await running
  const other = new Rig('inline')
  await expect(other.dispatcher.replace({ ...source, root: other.root })).rejects.toThrow(
    'resources/db.ts is open in another bot of this process, which loads the same module: end that bot first, or run them in workers',
  )
  await rig.say(3, 'again')
  await rig.dispatcher.close({ graceMs: 100 })
  expect(rig.notes).toEqual(['open db', 'held db', 'free db', 'end db', 'end db', 'again db', 'end db', 'close db'])
  // Now it is free.
  await other.dispatcher.replace({ ...source, root: other.root })
  await other[Symbol.asyncDispose]()
  expect(rig.notes.slice(-2)).toEqual(['open db', 'close db'])
  await rig[Symbol.asyncDispose]()
})

test('a resource of code whose handlers are abandoned closes, even if they never end, and the code opens it again', async () => {
  await using rig = new Rig('inline')
  const db = `${noted('db')}\nonDispose(() => { throw new Error('still in use') })`
  await rig.dispatcher.replace(sourceWith(rig, says, { db }))
  const running = rig.say(1, 'held').catch((error: unknown) => error)
  await expect.poll(() => rig.notes).toContain('held db')
  await rig.dispatcher.abandon()
  expect(await running).toBeInstanceOf(Unfinished)
  expect(rig.notes).toEqual(['open db', 'held db', 'close db', 'open db'])
  expect(rig.logged('error')).toEqual([expect.stringMatching(/^v1\/db\.mjs:\d+: onDispose failed: still in use$/)])
  rig.release()
  await expect.poll(() => rig.notes).toContain('end db')
})

test('the resource of replaced code that is closing has closed when the bot has stopped', async () => {
  await using rig = new Rig('inline')
  await rig.dispatcher.replace(sourceWith(rig, says, { db: noted('old') }))
  await rig.dispatcher.replace(sourceWith(rig, says, { db: noted('new') }))
  await rig.dispatcher.close({ graceMs: 0 })
  expect(rig.notes).toContain('close old')
})

test('a worker that has loaded the code closes its resources if another one cannot load it', slow, async () => {
  await using rig = new Rig('worker', { workers: 2 })
  const db = `import { writeFileSync } from 'node:fs'
export default resource({
  open: async () => {
    try { writeFileSync('${rig.root}/first', '', { flag: 'wx' }) }
    catch { while (!released()) await sleep(5); throw new Error('is full') }
    note('open')
  },
  close: () => note('close'),
})`
  const failed = expect(rig.dispatcher.replace(sourceWith(rig, says, { db }))).rejects.toThrow('is full')
  await expect.poll(() => rig.notes).toEqual(['open'])
  // The rest of its load takes a moment.
  await new Promise((resolve) => setTimeout(resolve, 100))
  rig.release()
  await failed
  await expect.poll(() => rig.notes).toEqual(['open', 'close'])
})

test('a new worker that has loaded replaced code closes its resources', slow, async () => {
  await using rig = new Rig('worker')
  const text = `export default () => process.exit(3)`
  const db = `export default resource({
  open: async () => { note('open old'); while (existsSync('${rig.root}/gate')) await sleep(5) },
  close: () => note('close old'),
})`
  await rig.dispatcher.replace(sourceWith(rig, text, { db }))
  writeFileSync(`${rig.root}/gate`, '')
  void rig.say(1, 'exit')
  await expect.poll(() => rig.notes).toEqual(['open old', 'open old'])
  await rig.dispatcher.replace(sourceWith(rig, says, { db: noted('new') }))
  rmSync(`${rig.root}/gate`)
  await expect.poll(() => rig.notes).toContain('close old')
})

test('the first of several workers opens its resources before the others do: it creates what all of them use', async () => {
  await using rig = new Rig('worker', { workers: 3 })
  const db = `export default resource({ open: async () => { note('begin'); await sleep(400); note('end') } })`
  await rig.dispatcher.replace(sourceWith(rig, 'export default () => {}', { db }))
  expect(rig.notes.slice(0, 2)).toEqual(['begin', 'end'])
  expect(rig.notes.toSorted()).toEqual(['begin', 'begin', 'begin', 'end', 'end', 'end'])
})

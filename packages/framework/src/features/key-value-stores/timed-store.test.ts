import { sleep, VirtualClock } from '@botwright/clock'
import { expect, test, vi } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { madeInTime, TimedStore } from './timed-store.ts'

function rig() {
  const clock = new VirtualClock()
  const memory = new MemoryStore(clock)
  const lines: string[] = []
  const note = (_: object, line: string) => void lines.push(line)
  const log = { debug: note, info: note, warn: note, error: note }
  const store = new TimedStore(memory, { limits: { graceSeconds: 10 } } as never, log, clock)
  /** Its requests get no answer. */
  const hang = () =>
    Object.assign(memory, { get: () => new Promise(() => {}), list: () => new Promise(() => {}) } as object)
  return { clock, memory, store, lines, hang }
}

const seconds = 1000

test('a store that takes long to open is logged', async () => {
  const { clock, memory, lines } = rig()
  const note = (_: object, line: string) => void lines.push(line)
  const log = { debug: note, info: note, warn: note, error: note }
  let end!: () => void
  const store = () => new Promise<MemoryStore>((resolve) => (end = () => resolve(memory)))
  const opening = madeInTime(store, { botId: 'x', clock, log }, { clock })
  await clock.advance(9 * seconds)
  expect(lines).toEqual([])
  await clock.advance(seconds)
  expect(lines).toEqual(['the store of bot.config.ts has not opened within 10 s: the bot starts once it has'])
  end()
  expect(await opening).toBe(memory)
})

test('passes requests and their results on', async () => {
  const { store, lines, clock } = rig()
  expect(await store.set('x', 1, { expected: 0 })).toBe(true)
  expect(await store.set('x', 2, { expected: 0 })).toBe(false)
  expect([(await store.get('x'))?.value, (await store.list('')).length]).toEqual([1, 1])
  expect([await store.delete('x'), await store.delete('x')]).toEqual([true, false])
  await expect(store.get('')).rejects.toThrow()
  await clock.advance(120 * seconds)
  expect(lines).toEqual([])
})

test('a request without an answer fails after a minute, and the log names the store and the request', async () => {
  const { store, lines, hang, clock } = rig()
  hang()
  const failed = expect(store.get('state:x')).rejects.toMatchObject({
    code: 'ERR_STATE',
    message: 'the store of bot.config.ts did not answer within 60 s (get state:x)',
  })
  const other = expect(store.list('task:')).rejects.toThrow('(list task:)')
  await clock.advance(60 * seconds)
  await Promise.all([failed, other])
  expect(lines).toEqual([
    'the store of bot.config.ts did not answer within 60 s (get state:x): give its driver a shorter timeout, and check its server',
  ])
})

/** A store whose lists take 100 ms for each value, and the number of values in each list. */
function slowList() {
  const { clock, memory, store, lines } = rig()
  const list = memory.list.bind(memory)
  const lists: number[] = []
  memory.list = async (...given) => {
    const rows = await list(...given)
    lists.push(rows.length)
    await sleep(clock, rows.length * 100)
    return rows
  }
  return { clock, memory, store, lines, lists }
}

test('a list that takes longer than a minute ends as long as the store returns parts of it', async () => {
  const { clock, memory, store, lines } = slowList()
  for (let i = 0; i < 1200; i++) await memory.set(`x:${String(i).padStart(4, '0')}`, i)
  const listed = store.list('x:')
  await clock.advance(125 * seconds)
  expect((await listed).map(({ value }) => value)).toEqual([...Array(1200).keys()])
  const some = store.list('x:', { after: 'x:0099', limit: 600 })
  await clock.advance(125 * seconds)
  expect((await some).map(({ value }) => value)).toEqual([...Array(600).keys()].map((i) => i + 100))
  expect(lines).toEqual([])
})

test('a fast store is asked for larger and larger parts', async () => {
  const { memory, store } = rig()
  for (let i = 0; i < 9000; i++) await memory.set(`x:${String(i).padStart(4, '0')}`, i)
  const list = vi.spyOn(memory, 'list')
  expect((await store.list('x:')).length).toBe(9000)
  expect(list).toHaveBeenCalledTimes(3)
})

test('a slow list ends with the time of the handlers when the bot stops, and asks for no further part', async () => {
  const { clock, memory, store, lists } = slowList()
  for (let i = 0; i < 2000; i++) await memory.set(`x:${i}`, i)
  const failed = expect(store.list('x:')).rejects.toThrow('(list x:)')
  await clock.advance(45 * seconds)
  store.stopping()
  await clock.advance(200 * seconds)
  await failed
  expect(lists).toEqual([500, 500])
})

test('while the bot stops, requests under way have the time of its handlers, and later ones 5 s', async () => {
  const { store, hang, clock } = rig()
  hang()
  const [first, ended]: [string[], number[]] = [[], []]
  const note = (name: string) => () => {
    first.push(name)
    ended.push(clock.monotonic() / seconds)
  }
  store.get('under way').catch(note('under way'))
  await clock.advance(seconds)
  store.stopping()
  store.get('later').catch(note('later'))
  await clock.advance(30 * seconds)
  expect([first, ended]).toEqual([
    ['later', 'under way'],
    [6, 11],
  ])
})

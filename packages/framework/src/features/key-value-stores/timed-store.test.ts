import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
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

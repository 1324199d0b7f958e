import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import type { StateStore } from '../../author/ports.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { SqliteStore } from '../stored-state/sqlite-store.ts'
import { DueRowRunner } from './due-row-runner.ts'
import { dueRowsSuite } from './due-row-runner-suite.test.fixture.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

dueRowsSuite('due rows in memory', (clock) => new MemoryStore(clock))
dueRowsSuite('due rows in SQLite', (clock) => new SqliteStore({ file: ':memory:', botId: 'bot', clock, log }))

test('a row that begins knows the rows of its look, whatever another look reads', async () => {
  const seen = new Promise<number>((resolve) => {
    const rows = new DueRowRunner({
      ...{ clock: new VirtualClock(), log, name: 'the jobs', failed() {}, dueMs: () => 0 },
      list: async () => [{ key: 'a' }, { key: 'b' }],
      begin: async (_, all) => (resolve(all.length), Infinity),
    })
    rows.look()
  })
  expect(await seen).toBe(2)
})

test('a failed claim is forgotten when its row is gone', async () => {
  const clock = new VirtualClock()
  let all = [{ key: 'a' }]
  const refuse = () => Promise.reject(new Error('no connection'))
  const rows: DueRowRunner<{ key: string }> = new DueRowRunner({
    ...{ clock, log, name: 'the jobs', failed() {}, dueMs: () => 0 },
    list: async () => all,
    begin: async ({ key }) => ((await rows.claim(key, refuse, refuse)) ? undefined : Infinity),
  })
  rows.look()
  await clock.advance(0)
  expect(rows.mayBeOwn('a')).toBe(true)
  all = []
  rows.look()
  await clock.advance(0)
  expect(rows.mayBeOwn('a')).toBe(false)
})

test.each([true, false])(
  'an interrupted row is not own after a claim that fails; stored all the same: %s',
  async (isDone) => {
    const clock = new VirtualClock()
    const store = new MemoryStore(clock)
    const rows = new DueRowRunner<{ key: string }>({
      ...{ clock, log, name: 'the jobs', failed() {}, dueMs: () => 0 },
      ...{ list: async () => [], begin: async () => Infinity },
    })
    await store.set('a', { state: 'running' })
    const read = async () => {
      const { value, version } = (await store.get('a'))!
      return { key: 'a', value: value as { state: string; failures?: number }, version }
    }
    const failing: StateStore = Object.assign(Object.create(store) as StateStore, {
      set: async (...args: Parameters<StateStore['set']>) => {
        if (isDone) await store.set(...args)
        throw new Error('no connection')
      },
    })
    const claim = async (into: StateStore, failures: number) =>
      rows.claimAs(into, await read(), { state: 'running', failures })
    await expect(claim(failing, 1)).rejects.toThrow('no connection')
    const found = await read()
    expect(rows.isOwn('a', found.value, found.version)).toBe(isDone)
    await expect(claim(failing, 1)).rejects.toThrow('no connection')
    const again = await read()
    expect(rows.isOwn('a', again.value, again.version)).toBe(isDone)
    expect(await claim(store, 1)).toEqual({ state: 'running', failures: 1 })
    await rows.stop()
  },
)

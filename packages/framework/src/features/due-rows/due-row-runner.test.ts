import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
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

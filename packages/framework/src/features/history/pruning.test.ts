import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VirtualClock } from '@botwright/clock'
import { openDatabase } from '@botwright/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import type { Log } from '../../author/ports.ts'
import { History } from './history.ts'
import { Recorder, type RecorderOptions } from './recorder.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Recorders of one file, whose host can have a wrong clock. */
function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-pruning-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const timers = new VirtualClock(Date.UTC(2026, 0, 10))
  const host = { aheadMs: 0 }
  const clock = {
    now: () => timers.now() + host.aheadMs,
    monotonic: () => timers.monotonic(),
    after: timers.after.bind(timers),
  }
  const logged: string[] = []
  const add = (_facts: object, message: string) => void logged.push(message)
  const log: Log = { debug: add, info: add, warn: add, error: add }
  const file = join(folder, 'history.db')
  const me = { id: 'bot', username: 'helper' } as RecorderOptions['me']
  const bounds = { days: 2, events: 1000 }
  const make = () => new Recorder({ file, baseUrl: 'http://x/v1', me, clock, timers, log, bounds, secrets: [] })
  const write = async (recorder: Recorder, id: number, waitMs: number) => {
    const event = { id, type: 'message', data: { content: 'hi' }, created_at: '2026-01-10T00:00:00Z' }
    recorder.received({ event, attempt: 1 })
    await timers.advance(waitMs)
  }
  const ids = () => {
    using history = new History(file)
    return history.events().map(({ id }) => id)
  }
  return { file, timers, host, logged, make, write, ids }
}

test('deletes old events while it runs, also of a bot with few events', async () => {
  const { make, write, ids } = setup()
  const recorder = make()
  for (let id = 1; id <= 5; id++) await write(recorder, id, DAY_MS)
  expect(ids()).toEqual([4, 5])
  recorder.close()
})

test('a clock that is ahead for a moment deletes no recorded event', async () => {
  const { host, timers, make, write, ids } = setup()
  const first = make()
  await write(first, 1, HOUR_MS)
  host.aheadMs = 30 * DAY_MS
  await write(first, 2, HOUR_MS)
  first.close()
  // The host starts with a wrong clock, which the network corrects.
  const second = make()
  await write(second, 3, 1000)
  host.aheadMs = 0
  await write(second, 4, HOUR_MS)
  await write(second, 5, HOUR_MS)
  second.close()
  expect(ids()).toEqual([1, 2, 3, 4, 5])
  expect(timers.now()).toBeLessThan(Date.UTC(2026, 0, 11))
})

test('a recorder that is closed does not begin again, although its last write failed', async () => {
  const { file, timers, logged, make, write } = setup()
  const recorder = make()
  await write(recorder, 1, 0)
  using db = openDatabase(file)
  db.exec("CREATE TRIGGER broken BEFORE INSERT ON part BEGIN SELECT RAISE(ABORT, 'broken'); END")
  recorder.close()
  expect(logged).toEqual([expect.stringContaining('recording stopped')])
  db.exec('DROP TRIGGER broken')
  await timers.advance(180_000)
  expect(recorder.records).toBe(false)
})

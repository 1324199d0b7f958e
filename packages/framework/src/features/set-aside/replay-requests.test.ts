import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { CHECK_MS, ReplayRequests } from './replay-requests.ts'

function start(replay: () => Promise<boolean>, isShared = true) {
  const clock = new VirtualClock()
  const lines: string[] = []
  const dropped: number[] = []
  const note = (_: object, line: string) => void lines.push(line)
  const requests = new ReplayRequests({
    feed: { replay },
    journal: { replayRequests: () => [5], dropReplayRequest: (id) => void dropped.push(id) },
    ...{ clock, log: { debug: note, info: note, warn: note, error: note }, isShared },
  })
  return { requests, clock, lines, dropped }
}

test('a request that the stop of the feed refuses stays stored, without a warning', async () => {
  let refuse!: (error: Error) => void
  const t = start(() => new Promise((_, reject) => (refuse = reject)))
  await t.clock.advance(CHECK_MS)
  t.requests.stop()
  refuse(new Error('the feed is stopping'))
  await t.clock.advance(10 * CHECK_MS)
  expect([t.lines, t.dropped, t.clock.waiting]).toEqual([[], [], 0])
})

test('a request that fails is reported once, and tried again', async () => {
  let fails = true
  const t = start(async () => {
    if (fails) throw new Error('disk I/O error')
    return true
  })
  await t.clock.advance(CHECK_MS)
  await t.clock.advance(59 * CHECK_MS)
  expect(t.lines).toEqual(['requests of framework replay cannot be read: disk I/O error'])
  fails = false
  await t.clock.advance(CHECK_MS)
  expect([t.lines.at(-1), t.dropped]).toEqual(['event 5 runs again, requested by framework replay', [5]])
  fails = true
  await t.clock.advance(CHECK_MS)
  expect(t.lines.at(-1)).toMatch(/cannot be read/)
  t.requests.stop()
})

test('a journal in memory is not polled: no other process can write to it', () => {
  const t = start(async () => true, false)
  expect(t.clock.waiting).toBe(0)
})

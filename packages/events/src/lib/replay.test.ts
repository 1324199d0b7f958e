import { expect, it } from 'vitest'
import type { Delivery, Journal } from '../index.ts'
import { message, testFeed, turns } from './rig.test.fixture.ts'

/** A feed that has finished event 1000, on a journal whose writes fail while `fails` is set. */
async function began(run?: (delivery: Delivery) => void | Promise<void>) {
  const writes = { fail: false }
  const { journal, source, clock } = testFeed()
  const failing: Journal = { ...journal, commit: (group) => !writes.fail && journal.commit(group) }
  const t = testFeed({ journal: failing, source, clock, ...(run && { run }) })
  t.source.add(message(1000))
  t.feed.start()
  await turns()
  return { ...t, writes }
}

it('a replay whose write fails leaves the event set aside until it is written', async () => {
  const t = await began()
  t.journal.setAside(message(900), 'a test')
  t.writes.fail = true
  const replayed = t.feed.replay(900)
  await turns()
  expect(t.journal.countSetAside()).toBe(1)
  expect(t.ids()).toEqual([1000])
  t.writes.fail = false
  await t.clock.advance(1000)
  expect(await replayed).toBe(true)
  expect(t.journal.countSetAside()).toBe(0)
  expect(t.ids()).toEqual([1000, 900])
  await t.feed.stop({ graceMs: 0 })
})

it('a replay is kept although the end of the former run is written with it', async () => {
  let runs = 0
  const t = await began(({ event: { id } }) => (id === 1001 && ++runs > 1 ? new Promise(() => {}) : undefined))
  t.source.add(message(1001))
  await turns()
  // The end is not written yet.
  expect(t.journal.unfinished().get(1001)).toBe(1)
  t.journal.setAside(message(1001), 'a test')
  expect(await t.feed.replay(1001)).toBe(true)
  await turns()
  expect(runs).toBe(2)
  expect(t.journal.bodies()).toEqual([message(1001)])
  await t.feed.stop({ graceMs: 0 })
  const next = testFeed({ journal: t.journal, source: t.source, clock: t.clock })
  next.feed.start()
  await turns()
  expect(next.ran.map(({ event, attempt }) => [event.id, attempt > 1])).toEqual([[1001, true]])
  await next.feed.stop({ graceMs: 0 })
})

it('a replay that waits or runs when the process ends is still a replay afterwards', async () => {
  const t = await began(() => new Promise(() => {}))
  for (const id of [900, 901]) t.journal.setAside(message(id), 'a test')
  await t.feed.replay(900)
  await t.feed.replay(901)
  await t.feed.offer(message(1001))
  await t.feed.stop({ graceMs: 0 })
  const next = testFeed({ journal: t.journal, source: t.source, clock: t.clock })
  next.feed.start()
  await turns()
  await t.clock.advance(1000)
  expect(next.ran.map(({ event, asked }) => [event.id, asked])).toEqual([
    [900, true],
    [901, true],
    [1000, false],
    [1001, false],
  ])
  expect([...t.journal.replayed()]).toEqual([])
  await next.feed.stop({ graceMs: 0 })
})

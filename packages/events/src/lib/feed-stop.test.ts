import { expect, it } from 'vitest'
import { Unfinished } from './event-queues.ts'
import { message, testFeed, turns } from './rig.test.fixture.ts'

it('ends after a stop during the dispatch of a page that leaves too many events', async () => {
  let stopped: Promise<unknown> | undefined
  const t = testFeed({ maxRunning: 1, maxWaiting: 1, run: () => void (stopped ??= t.feed.stop({ graceMs: 0 })) })
  t.source.add(...Array.from({ length: 5 }, (_, n) => message(n + 2, `c${n}`)))
  t.feed.start()
  await turns()
  await stopped
  expect(await t.feed.ended).toEqual({ reason: 'stopped' })
  expect(t.feed.stats()).toMatchObject({ started: 1, waiting: 4 })
})

it('a stop does not wait for a run that gives up, whose event runs again', async () => {
  let giveUp!: (error: Error) => void
  const t = testFeed({ run: () => new Promise((_, reject) => (giveUp = reject)) })
  t.source.add(message(2), message(3))
  t.feed.start()
  await turns()
  const stopped = t.feed.stop({ graceMs: 10_000 })
  giveUp(new Unfinished())
  await turns()
  expect(await stopped).toEqual({ unfinished: 1 })
  expect(t.codes()).not.toContain('run_failed')
  const again = testFeed({ journal: t.journal, source: t.source })
  again.feed.start()
  await turns()
  expect(again.ran.map(({ event, attempt }) => [event.id, attempt])).toEqual([
    [2, 2],
    [3, 1],
  ])
})

it('an event that gives up at each stop is not set aside: the process has not died', async () => {
  const first = testFeed({ run: () => Promise.reject(new Unfinished()) })
  first.source.add(message(2))
  let t = first
  for (let stops = 0; stops < 5; stops++) {
    if (stops > 0) t = testFeed({ journal: t.journal, source: t.source, run: () => Promise.reject(new Unfinished()) })
    t.feed.start()
    await turns()
    await t.feed.stop({ graceMs: 10_000 })
  }
  const last = testFeed({ journal: t.journal, source: t.source })
  last.feed.start()
  await turns()
  expect(last.ran.map(({ event, attempt }) => [event.id, attempt])).toEqual([[2, 2]])
})

it('a handler that ends after the stop does not lead to writes that are repeated without end', async () => {
  let end!: () => void
  const t = testFeed({ run: () => new Promise<void>((resolve) => (end = resolve)) })
  t.source.add(message(2))
  t.feed.start()
  await turns()
  expect(await t.feed.stop({ graceMs: 0 })).toEqual({ unfinished: 1 })
  t.journal.close()
  end()
  await turns()
  expect(t.clock.waiting).toBe(0)
})

import { expect, it } from 'vitest'
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

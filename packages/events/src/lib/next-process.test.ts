import { expect, it } from 'vitest'
import { message, testFeed, turns } from './rig.test.fixture.ts'

it('saves when it has received a click that waits behind another one: the next process must not take it for missed', async () => {
  const t = testFeed({ run: () => new Promise(() => {}) })
  const click = (id: number) => ({ ...message(id), type: 'interaction', data: { message_id: 'm' } })
  t.source.add(click(2))
  t.feed.start()
  await turns()
  await t.clock.advance(10_000)
  t.source.add(message(3))
  await turns()
  expect(t.journal.cursor()).toMatchObject({ savedAtMs: t.clock.now() - 10_000 })
  t.source.add(click(4))
  await turns()
  expect(t.feed.stats()).toMatchObject({ running: 2, waiting: 1 })
  expect(t.journal.cursor()).toEqual({ after: 1, savedAtMs: t.clock.now() })
  await t.feed.stop({ graceMs: 0 })
})

it.each(['both', 'webhook'] as const)(
  'after a restart with delivery %s, copies wait for the earlier events',
  async (delivery) => {
    const { journal, source } = testFeed()
    if (delivery === 'both') source.pageSize = 2
    source.add(message(4), message(5), message(6), message(7))
    journal.commit({ cursor: { after: 3, savedAtMs: 0 }, offered: [message(7), message(2, 'b')] })
    const t = testFeed({ journal, source, delivery })
    t.feed.start()
    await turns(40)
    expect(t.ids()).toEqual([2, 4, 5, 6, 7])
    await t.feed.stop({ graceMs: 0 })
  },
)

it('after a restart, copies run also if no poll responds', async () => {
  const { journal } = testFeed()
  journal.commit({ cursor: { after: 3, savedAtMs: 0 }, offered: [message(7)] })
  const t = testFeed({ journal, delivery: 'both', listEvents: () => new Promise(() => {}) })
  t.feed.start()
  await t.clock.advance(1000)
  expect(t.ids()).toEqual([7])
  await t.feed.stop({ graceMs: 0 })
})

it('marks the copies that an earlier process has stored', async () => {
  const { journal } = testFeed()
  journal.commit({ cursor: { after: 3, savedAtMs: 0 }, offered: [message(2, 'b')] })
  const t = testFeed({ journal, delivery: 'both' })
  t.source.add(message(4))
  t.feed.start()
  await turns()
  expect(t.ran.map(({ event, kept }) => [event.id, kept])).toEqual([
    [2, true],
    [4, undefined],
  ])
  await t.feed.stop({ graceMs: 0 })
})

it('is placed only once its first position is stored: a process that ended before would begin with newer events', async () => {
  const { journal } = testFeed()
  let isBroken = true
  const fragile: typeof journal = { ...journal, commit: (group) => !isBroken && journal.commit(group) }
  const t = testFeed({ journal: fragile, start: 'now' })
  let isPlaced = false
  void t.feed.placed.then(() => (isPlaced = true))
  t.source.add(message(7))
  t.feed.start()
  await turns()
  expect(isPlaced).toBe(false)
  t.source.add(message(8))
  isBroken = false
  await t.clock.advance(1000)
  await turns()
  expect(isPlaced).toBe(true)
  expect(t.ids()).toEqual([8])
  await t.feed.stop({ graceMs: 0 })
})

it('ends after a stop while its first position cannot be stored', async () => {
  const { journal } = testFeed()
  const t = testFeed({ journal: { ...journal, commit: () => false }, start: 'now' })
  t.feed.start()
  await turns()
  await t.feed.stop({ graceMs: 0 })
  expect(await t.feed.ended).toEqual({ reason: 'stopped' })
})

it('reports an event that the process was running when it died, after the ids had started again', async () => {
  const t = testFeed()
  t.journal.commit({ cursor: { after: 50, savedAtMs: t.clock.now() }, started: [{ key: 51, attempt: 1 }] })
  t.journal.commit({ cursor: { after: 3, savedAtMs: t.clock.now(), era: 1 }, reset: true })
  t.source.add(message(4))
  t.feed.start()
  await turns()
  expect(t.codes()).toEqual(['event_expired'])
  await t.feed.stop({ graceMs: 0 })
  expect(t.journal.unfinished().size).toBe(0)
})

it('does not forget an event that the service has dropped before the caller has forgotten it', async () => {
  let forget = () => {}
  const t = testFeed({ expired: () => new Promise<void>((resolve) => (forget = resolve)) })
  t.journal.commit({ cursor: { after: 5, savedAtMs: t.clock.now() }, started: [{ key: 6, attempt: 1 }] })
  t.source.add(message(9))
  t.feed.start()
  await turns()
  expect(t.codes()).toEqual(['event_expired'])
  expect(t.ids()).toEqual([9])
  expect([...t.journal.unfinished().keys()]).toContain(6)
  forget()
  await turns()
  expect([...t.journal.unfinished().keys()]).not.toContain(6)
  await t.feed.stop({ graceMs: 0 })
})

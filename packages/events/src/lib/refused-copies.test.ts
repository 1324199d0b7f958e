import { expect, it } from 'vitest'
import { EventSource, message, testFeed, turns } from './rig.test.fixture.ts'

// Copies of the webhook while handlers cannot keep up.

const deliveries = ['both', 'webhook'] as const

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)

/** A feed with a running event 11, and two more waiting events than it may hold: 12 to 14. The test can delay its polls. */
async function busyFeed(delivery: (typeof deliveries)[number]) {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const ids: number[] = []
  const source = new EventSource()
  const poll = { answers: Promise.resolve() }
  const t = testFeed({
    ...{ delivery, start: 'now', maxWaiting: 2, source },
    listEvents: async (query, signal) => {
      const page = await source.listEvents(query, signal)
      await poll.answers
      return page
    },
    run: ({ event }) => {
      ids.push(event.id)
      return released
    },
  })
  source.add(message(10))
  t.feed.start()
  await turns()
  for (const id of from(11, 14)) {
    await t.feed.offer(message(id))
    await t.clock.advance(500)
  }
  expect(t.feed.stats()).toMatchObject({ running: 1, waiting: 3 })
  const refuse = (id: number) => expect(t.feed.offer(message(id))).rejects
  /** Polls do not answer until the returned function is called. */
  const delayPolls = () => {
    let answer = () => {}
    poll.answers = new Promise((resolve) => (answer = resolve))
    return answer
  }
  return { ...t, ids, release, refuse, delayPolls }
}

it.each(deliveries)('%s: above maxWaiting, copies are refused, and a poll brings them at once', async (delivery) => {
  const t = await busyFeed(delivery)
  for (const id of from(15, 30))
    await t.refuse(id).toThrow('more than 2 events are waiting, so a poll brings this one later')
  expect(t.journal.bodies()).toHaveLength(4)
  // The person of a click waits for an answer.
  await t.feed.offer({ ...message(31), type: 'interaction', data: { id: 'i', message_id: 'm' } })
  await t.clock.advance(500)
  expect(t.ids).toEqual([11, 31])
  t.source.pageSize = 5
  t.source.add(...from(11, 31).map((id) => message(id)))
  t.release()
  await turns(50)
  await t.feed.whenIdle()
  expect(t.ids).toEqual([11, 31, ...from(12, 30)])
  await t.feed.stop({ graceMs: 0 })
})

it.each(deliveries)('%s: a copy does not overtake earlier ones that were refused', async (delivery) => {
  const t = await busyFeed(delivery)
  const answer = t.delayPolls()
  for (const id of from(15, 30)) await t.refuse(id).toThrow('more than 2 events are waiting')
  t.source.add(...from(11, 30).map((id) => message(id)))
  t.release()
  await t.feed.whenIdle()
  t.source.add(message(40))
  const offered = t.feed.offer(message(40)).catch((error: Error) => error.message)
  await t.clock.advance(2000)
  expect(t.ids).toEqual(from(11, 14))
  expect(await offered).toBe('earlier events were refused, so a poll brings this one after them')
  answer()
  await turns(50)
  expect(t.ids).toEqual([...from(11, 30), 40])
  // The poll has caught up: copies are accepted again.
  await t.feed.offer(message(41))
  await t.clock.advance(500)
  expect(t.ids.at(-1)).toBe(41)
  await t.feed.stop({ graceMs: 0 })
})

it.each(deliveries)('%s: a poll that was sent before a copy was refused is followed by another', async (delivery) => {
  const t = await busyFeed(delivery)
  const answer = t.delayPolls()
  await t.refuse(15).toThrow('more than 2 events are waiting')
  t.release()
  await t.feed.whenIdle()
  await turns()
  await t.refuse(16).toThrow('earlier events were refused')
  t.source.add(...from(11, 16).map((id) => message(id)))
  answer()
  await turns(50)
  expect(t.ids).toEqual(from(11, 16))
  await t.feed.stop({ graceMs: 0 })
})

it.each(deliveries)('%s: a copy that was refused before the ids start again blocks no other', async (delivery) => {
  const t = await busyFeed(delivery)
  await t.refuse(15).toThrow('more than 2 events are waiting')
  t.source.events.length = 0
  t.source.add(message(3))
  t.release()
  await turns(50)
  expect(t.codes()).toContain('feed_reset')
  await t.feed.offer(message(4))
  await t.clock.advance(500)
  expect(t.ids).toEqual([...from(11, 14), 4])
  await t.feed.stop({ graceMs: 0 })
})

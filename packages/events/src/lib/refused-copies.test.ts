import { expect, it } from 'vitest'
import { message, testFeed, turns } from './rig.test.fixture.ts'

// Copies of the webhook while handlers cannot keep up.

it.each(['both', 'webhook'] as const)(
  '%s: above maxWaiting, copies are refused, and a poll brings them',
  async (delivery) => {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const ids: number[] = []
    const t = testFeed({
      ...{ delivery, start: 'now', maxWaiting: 2 },
      run: ({ event }) => {
        ids.push(event.id)
        return released
      },
    })
    t.source.add(message(10))
    t.feed.start()
    await turns()
    for (const id of [11, 12, 13, 14]) {
      await t.feed.offer(message(id))
      await t.clock.advance(500)
    }
    expect(t.feed.stats()).toMatchObject({ running: 1, waiting: 3 })
    for (let id = 15; id <= 30; id++)
      await expect(t.feed.offer(message(id))).rejects.toThrow(
        'more than 2 events are waiting, so a poll brings this one',
      )
    expect(t.journal.bodies()).toHaveLength(4)
    // The person of a click waits for an answer.
    await t.feed.offer({ ...message(31), type: 'interaction', data: { id: 'i', message_id: 'm' } })
    await t.clock.advance(500)
    expect(ids).toEqual([11, 31])
    t.source.add(...Array.from({ length: 21 }, (_, i) => message(11 + i)))
    release()
    await turns()
    await t.clock.advance(60_000)
    await t.feed.whenIdle()
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, i) => 11 + i))
    await t.feed.stop({ graceMs: 0 })
  },
)

import { describe, expect, it } from 'vitest'
import { type BotEvent, type Delivery, eventKey } from '../index.ts'
import { message, testFeed, turns } from './rig.test.fixture.ts'

// The service's ids start again ("a new era"): a new event may have the id of an old one (decisions, row 17).

const said = (id: number, text: string, channel = 'a'): BotEvent => ({
  ...message(id, channel),
  data: { text, channel_id: channel },
})
const textOf = ({ event }: Delivery) => event.data['text']

/** A feed after event 1000, whose service then starts again with event 5. */
async function restarted(options: Parameters<typeof testFeed>[0] = {}) {
  const t = testFeed({ delivery: 'both', ...options })
  t.source.add(message(1000))
  t.feed.start()
  await turns()
  return {
    ...t,
    async startAgain() {
      t.source.events.length = 0
      t.source.add(message(5))
      await turns()
      expect(t.codes()).toContain('feed_reset')
    },
  }
}

describe('an event of an earlier era', () => {
  it('that came by webhook and ends after the reset does not run again after a restart', async () => {
    let end!: () => void
    const t = await restarted({
      run: ({ event: { id } }) => (id === 1001 ? new Promise((done) => (end = done)) : undefined),
    })
    await t.feed.offer(said(1001, 'old'))
    await t.clock.advance(1000)
    await turns()
    await t.startAgain()
    end()
    await t.feed.whenIdle()
    expect(t.journal.bodies()).toEqual([])
    await t.feed.stop({ graceMs: 0 })
    const next = testFeed({ delivery: 'both', journal: t.journal, source: t.source, clock: t.clock })
    next.feed.start()
    await turns()
    expect(next.ran).toEqual([])
    await next.feed.stop({ graceMs: 0 })
  })

  it('that runs again after a restart, or is replayed, does not hide new events', async () => {
    const t = await restarted({ run: ({ event: { id } }) => (id === 1001 ? new Promise(() => {}) : undefined) })
    t.journal.setAside(said(900, 'old, set aside'), 'a test')
    await t.feed.offer(said(1001, 'old'))
    await t.clock.advance(1000)
    await turns()
    await t.startAgain()
    await t.feed.stop({ graceMs: 0 })
    const next = testFeed({ delivery: 'both', journal: t.journal, source: t.source, clock: t.clock })
    next.feed.start()
    await turns()
    expect(await next.feed.replay(900)).toBe(true)
    next.source.add(said(900, 'new'), said(1001, 'new'), said(1002, 'new'))
    await turns()
    expect(next.ran.map((one) => [one.event.id, textOf(one), one.attempt > 1])).toEqual([
      [1001, 'old', true],
      [900, 'old, set aside', false],
      [900, 'new', false],
      [1001, 'new', false],
      [1002, 'new', false],
    ])
    expect(next.feed.stats().duplicates).toBe(0)
    await next.feed.stop({ graceMs: 0 })
  })

  it('that still runs blocks neither the new event with its id nor the queue behind that', async () => {
    const ends: (() => void)[] = []
    const t = await restarted({
      run: ({ event }) => (event.id === 1001 ? new Promise((end) => ends.push(end)) : undefined),
    })
    t.source.add(said(1001, 'old'))
    await turns()
    await t.startAgain()
    t.source.add(said(1001, 'new', 'b'), said(1002, 'behind', 'b'))
    await turns()
    expect(ends).toHaveLength(2)
    ends[0]!()
    await turns()
    expect(t.feed.stats()).toMatchObject({ running: 1, waiting: 1 })
    ends[1]!()
    await turns()
    expect(t.feed.stats()).toMatchObject({ running: 0, waiting: 0, finished: 4 })
    await t.feed.stop({ graceMs: 0 })
    expect(t.journal.cursor()).toMatchObject({ after: 1002, era: 1 })
  })

  it('that is set aside keeps its place beside the new one, and a replay of the id runs both', async () => {
    const t = await restarted()
    t.journal.setAside(said(1000, 'old'), 'a test')
    await t.startAgain()
    t.source.add(said(1000, 'new'))
    await turns()
    const event = t.ran.at(-1)!.event
    t.journal.setAside(event, 'a test')
    expect(t.journal.countSetAside()).toBe(2)
    t.ran.length = 0
    expect(await t.feed.replay(1000)).toBe(true)
    await turns()
    expect(t.ran.map((one) => [textOf(one), eventKey(one.event), one.asked])).toEqual([
      ['old', 1000, true],
      ['new', '1000@1', true],
    ])
    expect(t.journal.countSetAside()).toBe(0)
    await t.feed.stop({ graceMs: 0 })
  })
})

it('counts each reset, and ignores a field of the service with the name of the era', async () => {
  const t = await restarted()
  await t.startAgain()
  t.source.events.length = 0
  t.source.add(message(3))
  await turns()
  t.source.add({ ...message(5), era: 7 }, { ...message(6), era: 'x'.repeat(100) as never })
  await turns()
  expect(t.ran.map(({ event }) => eventKey(event))).toEqual([1000, '5@2', '6@2'])
  await t.feed.stop({ graceMs: 0 })
})

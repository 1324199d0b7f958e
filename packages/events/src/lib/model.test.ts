import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@botwright/clock'
import { laneKey, openJournal, type BotEvent, type Delivery, type Journal } from '../index.ts'
import { EventSource, message, testFeed, turns } from './rig.test.fixture.ts'

const settings = { numRuns: 60 }

/** Ids with gaps, spread over four channels. */
const events = fc
  .array(fc.record({ gap: fc.integer({ min: 1, max: 50 }), channel: fc.constantFrom('a', 'b', 'c', 'd') }), {
    minLength: 1,
    maxLength: 60,
  })
  .map((steps) => {
    let id = 1
    return steps.map(({ gap, channel }) => message((id += gap), channel))
  })

function expectOrder(ran: readonly BotEvent[]) {
  const former = new Map<string, number>()
  for (const event of ran) {
    const key = laneKey(event)
    expect(event.id).toBeGreaterThan(former.get(key) ?? 0)
    former.set(key, event.id)
  }
}

describe('model', () => {
  it('repeated, unordered and invalid events: delivers each id once, in order per channel', async () => {
    const rubbish = fc.constantFrom<unknown>(null, 7, {}, { id: 'x' }, { id: -1, type: 'message', data: {} }, [])
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.infiniteStream(fc.nat()),
        fc.array(rubbish, { maxLength: 5 }),
        async (all, random, bad) => {
          const next = (below: number) => Number(random.next().value) % below
          const t = testFeed({
            listEvents: async ({ after }, signal) => {
              const fresh = all.filter(({ id }) => id > after)
              if (fresh.length === 0)
                return new Promise((_, reject) =>
                  signal.addEventListener('abort', () => reject(signal.reason as Error)),
                )
              const good = fresh.slice(0, 1 + next(10))
              const page: unknown[] = [...good, ...bad]
              for (let n = next(5); n > 0; n--) page.push(good[next(good.length)])
              for (let n = page.length - 1; n > 0; n--) {
                const m = next(n + 1)
                ;[page[n], page[m]] = [page[m], page[n]]
              }
              return { events: page, last: good.at(-1)!.id }
            },
            run: async (delivery) => {
              for (let n = next(4); n > 0; n--) await Promise.resolve()
              ran.push(delivery.event)
            },
          })
          const ran: BotEvent[] = []
          t.feed.start()
          for (let n = 0; ran.length < all.length && n < 500; n++) await turns(2)
          await t.feed.whenIdle()
          expect(ran.map(({ id }) => id).sort((a, b) => a - b)).toEqual(all.map(({ id }) => id))
          expectOrder(ran)
          await t.feed.stop({ graceMs: 0 })
          expect(t.journal.cursor()?.after).toBe(all.at(-1)!.id)
        },
      ),
      settings,
    )
  })

  it('poll and webhook with lost, late and repeated copies: delivers each id once, in order per channel', async () => {
    const copy = fc.record({ lost: fc.boolean(), waitMs: fc.integer({ min: 0, max: 300 }), twice: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(events, fc.array(copy, { minLength: 60, maxLength: 60 }), async (all, copies) => {
        const clock = new VirtualClock()
        const t = testFeed({ clock, delivery: 'both', start: 'now' })
        t.feed.start()
        await turns(3)
        const kept: Promise<void>[] = []
        for (const [n, event] of all.entries()) {
          const { lost, waitMs, twice } = copies[n]!
          if (!lost) for (let c = twice ? 2 : 1; c > 0; c--) clock.after(waitMs, () => kept.push(t.feed.offer(event)))
          clock.after(n * 5, () => t.source.add(event))
        }
        await clock.advance(2000)
        await Promise.all(kept)
        await t.feed.whenIdle()
        expect(t.ids().sort((a, b) => a - b)).toEqual(all.map(({ id }) => id))
        expectOrder(t.ran.map(({ event }) => event))
        await t.feed.stop({ graceMs: 0 })
        expect(t.journal.cursor()?.after).toBe(all.at(-1)!.id)
        expect(t.journal.bodies()).toEqual([])
      }),
      settings,
    )
  })

  it('crashes at any moment: loses no event, repeats no finished one, and marks interrupted ones', async () => {
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.infiniteStream(fc.nat()),
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 6 }),
        async (all, random, lives) => {
          const next = (below: number) => Number(random.next().value) % below
          const clock = new VirtualClock()
          const source = new EventSource()
          source.add(...all)
          const journal = openJournal({ file: ':memory:', baseUrl: 'x', botId: 'b', clock })
          const begun = new Map<number, number>()
          const finished: Delivery[] = []
          const wrong: Delivery[] = []
          const live = async (rounds: number) => {
            // A dead process writes nothing, and its handlers never end.
            let dead = false
            const mortal: Journal = { ...journal, commit: (group) => !dead && journal.commit(group) }
            const t = testFeed({
              clock,
              source,
              journal: mortal,
              handlerAttempts: 100,
              run: async (delivery) => {
                const attempt = (begun.get(delivery.event.id) ?? 0) + 1
                if (delivery.attempt !== attempt) wrong.push(delivery)
                begun.set(delivery.event.id, attempt)
                for (let n = next(6); n > 0; n--) await turns(1)
                if (dead) return new Promise(() => {})
                finished.push(delivery)
              },
            })
            t.feed.start()
            for (let n = 0; n < rounds; n++) await clock.advance(1)
            dead = true
            void t.feed.stop({ graceMs: 0 })
          }
          for (const rounds of lives) await live(rounds)
          await live(400)
          expect([...new Set(finished.map(({ event }) => event.id))].sort((a, b) => a - b)).toEqual(
            all.map(({ id }) => id),
          )
          const firsts = finished.filter(({ event: { id } }, n) => finished.findIndex((d) => d.event.id === id) === n)
          expectOrder(firsts.map(({ event }) => event))
          const repeats = finished.filter(({ event: { id } }, n) => finished.findIndex((d) => d.event.id === id) !== n)
          expect(wrong).toEqual([])
          expect(repeats.every(({ attempt }) => attempt > 1)).toBe(true)
          expect(journal.cursor()?.after).toBe(all.at(-1)!.id)
        },
      ),
      { ...settings, numRuns: 30 },
    )
  })
})

describe('webhook delivery', () => {
  it('keeps the body until the event is done: a crash after the 200 loses nothing, even if no poll returns it', async () => {
    const clock = new VirtualClock()
    const journal = openJournal({ file: ':memory:', baseUrl: 'x', botId: 'b', clock })
    const first = testFeed({ clock, journal, delivery: 'webhook', start: 'now', run: () => new Promise(() => {}) })
    first.feed.start()
    await turns()
    await first.feed.offer(message(50, 'a'))
    await first.feed.offer(message(51, 'a'))
    await first.feed.stop({ graceMs: 0 })
    const second = testFeed({ clock, journal, delivery: 'webhook' })
    second.feed.start()
    await clock.advance(1000)
    await second.feed.whenIdle()
    expect(second.ran.map(({ event, attempt }) => [event.id, attempt > 1])).toEqual([
      [50, true],
      [51, false],
    ])
    expect(journal.bodies()).toEqual([])
    await second.feed.offer(message(51, 'a'))
    await second.feed.whenIdle()
    expect(second.ids()).toEqual([50, 51])
    await second.feed.stop({ graceMs: 0 })
  })

  it('fetches events that the webhook missed, once a minute, without long polling', async () => {
    const t = testFeed({ delivery: 'webhook', start: 'now' })
    t.feed.start()
    await turns()
    t.source.add(message(20), message(21))
    await t.feed.offer(message(21))
    await turns()
    expect(t.ids()).toEqual([21])
    await t.clock.advance(61_000)
    expect(t.ids()).toEqual([21, 20])
    expect(t.source.asked.every(({ wait }) => wait === 0)).toBe(true)
    await t.clock.advance(600_000)
    expect(t.source.asked.length).toBeLessThan(15)
    expect(t.codes()).toEqual(['webhook_only', 'starting_now'])
    await t.feed.stop({ graceMs: 0 })
  })

  it('with both: runs a copy that no poll confirmed after half a second', async () => {
    const t = testFeed({ delivery: 'both', start: 'now' })
    t.feed.start()
    await turns()
    await t.feed.offer(message(20))
    expect(t.ids()).toEqual([])
    await t.clock.advance(600)
    expect(t.ids()).toEqual([20])
    t.source.add(message(20))
    await turns()
    expect(t.ids()).toEqual([20])
    await t.feed.stop({ graceMs: 0 })
    await expect(t.feed.offer(message(30))).rejects.toThrow(/stopping/)
  })
})

import { VirtualClock } from '@botwright/clock'
import { type BotEvent, type Delivery } from './bot-event.ts'
import { createFeed, type FeedOptions } from './feed.ts'
import { type Journal, openJournal } from './journal.ts'
import type { ReportEntry } from './report.ts'

/** An event of a channel, for tests. */
export const message = (id: number, channel = 'a'): BotEvent => ({
  id,
  type: 'message',
  data: { id: `m${id}`, channel_id: channel, server_id: 's' },
  created_at: '2026-01-01T00:00:00.000Z',
})

/** The event feed of a well-behaved service: long polls wait for events, `after=0` returns the newest id. */
export class EventSource {
  readonly events: BotEvent[] = []
  readonly asked: { after: number; wait: number }[] = []
  pageSize = 100
  #wake: (() => void)[] = []

  add(...events: BotEvent[]): void {
    this.events.push(...events)
    for (const wake of this.#wake.splice(0)) wake()
  }

  readonly listEvents = async (query: { after: number; wait: number }, signal: AbortSignal): Promise<unknown> => {
    this.asked.push(query)
    const newest = this.events.at(-1)?.id ?? 1
    if (query.after === 0 || query.after > newest) return { events: [], last: newest }
    const found = () => this.events.filter(({ id }) => id > query.after).slice(0, this.pageSize)
    if (found().length === 0 && query.wait > 0)
      await new Promise<void>((resolve, reject) => {
        this.#wake.push(resolve)
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
    const events = found()
    return { events, last: events.at(-1)?.id ?? query.after }
  }
}

export const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
export async function turns(count = 10): Promise<void> {
  for (let n = 0; n < count; n++) await turn()
}

/** A feed on an event source, and everything that tests inspect. */
export function testFeed(options: Partial<FeedOptions> & { journal?: Journal; source?: EventSource } = {}) {
  const clock = (options.clock as VirtualClock | undefined) ?? new VirtualClock()
  const source = options.source ?? new EventSource()
  const reports: ReportEntry[] = []
  const report = (entry: ReportEntry) => void reports.push(entry)
  const journal =
    options.journal ?? openJournal({ file: ':memory:', baseUrl: 'http://x/v1', botId: 'b', clock, report })
  const ran: Delivery[] = []
  const feed = createFeed({
    listEvents: source.listEvents,
    run: (delivery) => void ran.push(delivery),
    start: 'kept',
    random: () => 0.5,
    ...options,
    report,
    journal,
    clock,
  })
  return {
    feed,
    source,
    journal,
    clock,
    reports,
    ran,
    ids: () => ran.map(({ event }) => event.id),
    codes: () => reports.map(({ code }) => code),
  }
}

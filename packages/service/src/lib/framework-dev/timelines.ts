import type * as z from 'zod'
import { BoundedMap, cut } from '@botwright/protocol/facts'
import { failedResults } from '@botwright/protocol/timeline'
import { Json } from '../json.ts'
import type { PublishedTimeline, TimelineSummary } from '../people-api/resources.ts'
import { Refusal } from '../refusal.ts'
import { dropOrder } from './drop-order.ts'

/** Bounds of what is kept in memory: bots, events of each bot, and their JSON. */
const BOTS = 16
const EVENTS = 1000
const CHARACTERS = 8 * 1024 * 1024
const LONGEST = 128 * 1024

type Timeline = z.infer<typeof PublishedTimeline>

interface Kept {
  summary: TimelineSummary
  json: string
}

/** The timelines of bots under development, until the service ends or is reset. */
export class Timelines {
  readonly #bots = new BoundedMap<string, Map<number, Kept>>(BOTS)

  /** Keeps a timeline in place of an earlier one of the same event. Refuses one that is too long. */
  keep(botId: string, timeline: Timeline): TimelineSummary {
    const json = JSON.stringify(timeline)
    const { id } = timeline.event
    if (json.length > LONGEST)
      throw new Refusal(413, `timelines: the timeline of event ${id} is longer than ${LONGEST} characters of JSON`)
    const kept = this.#bots.get(botId) ?? new Map<number, Kept>()
    const summary = summaryOf(botId, timeline)
    // An event keeps its place when its timeline grows.
    kept.set(id, { summary, json })
    let characters = 0
    for (const each of kept.values()) characters += each.json.length
    for (const [oldest, each] of dropOrder([...kept], ([, one]) => hasFailed(one))) {
      if (kept.size <= EVENTS && characters <= CHARACTERS) break
      characters -= each.json.length
      kept.delete(oldest)
    }
    this.#bots.set(botId, kept)
    return summary
  }

  /** Those of a bot, oldest first. */
  summaries(botId: string): TimelineSummary[] {
    return [...(this.#bots.get(botId)?.values() ?? [])].map(({ summary }) => summary)
  }

  get(botId: string, eventId: number): Json<Timeline> | undefined {
    const kept = this.#bots.get(botId)?.get(eventId)
    return kept && new Json(kept.json)
  }

  clear(): void {
    this.#bots.clear()
  }
}

const hasFailed = ({ summary }: Kept): boolean => (failedResults as ReadonlySet<string>).has(summary.result)

function summaryOf(botId: string, { event, result, file, ms, failure, steps }: Timeline): TimelineSummary {
  const { id, type, title, who, received_at, data = {} } = event
  const text = (value: unknown, most = 100): string | null => (typeof value === 'string' ? cut(value, most) : null)
  return {
    bot_id: botId,
    event_id: id,
    ...{ type, title, who: who ?? null, received_at, result, file: file ?? null, ms: ms ?? null },
    // A refused request to a route has a reason, but no failure.
    error: failure ? cut(failure.message, 300) : result === 'refused' ? text(steps.at(-1)?.['error'], 300) : null,
    at: failure?.at ?? null,
    channel_id: text(data['channel_id']),
    // A message names itself `id`, events about one name it `message_id` (§6).
    message_id: text(data['message_id'] ?? (type.startsWith('message') ? data['id'] : undefined)),
  }
}

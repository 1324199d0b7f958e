import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  History,
  historyNames,
  isOwnWork,
  type RecordedEvent,
  timelineOf,
  withLinks,
} from '@botwright/framework/replay'
import { cut, wellFormed } from '@botwright/protocol/facts'
import { failedResults, type Timeline, type TimelineStep } from '@botwright/protocol/timeline'
import type { DevReport } from './dev-report.ts'
import { refusalOf } from '../local-service/limited-body.ts'
import type { LocalService } from '../local-service/local-service.ts'

/** The recording is written in groups, so a look directly after an event finds nothing. */
const LOOK_MS = 250
const LOOKS_AFTER_EVENT = 6
/** While a handler runs or waits. */
const LOOK_AT_OPEN_MS = 1000
const RUNS_AGAIN_MS = 60_000
/** How many events are sent at a time: the service accepts no more. Of a flood, failures are sent first. */
const MOST_EVENTS = 100
const MOST_READ = 1000
const MOST_OPEN = 100
/** Bounds of one timeline, in characters of its JSON; the service accepts twice as much. */
const LONGEST_TIMELINE = 64 * 1024
const LONGEST_PART = 4096
/** Bounds of one request. The service accepts 1 MiB, and a character has up to 3 bytes. */
const LONGEST_BODY = 300_000

/** The timeline of an event, as it is sent. */
interface Published {
  id: number
  json: string
}

interface PublisherOptions {
  root: string
  service: Pick<LocalService, 'baseUrl' | 'token'>
  report: Pick<DevReport, 'warning'>
  env: NodeJS.ProcessEnv
}

/** Sends the timelines of events to the local service, from the recording. The page works without them, so an error is a warning. */
export class TimelinePublisher {
  readonly #options: PublisherOptions
  #history: History | undefined
  #lastSeq = 0
  /** The last timeline of each event that has not ended, by its `seq`. */
  readonly #unfinished = new Map<number, string>()
  #timer: NodeJS.Timeout | undefined
  #looksLeft = 0
  #looking: Promise<void> | undefined
  #warned = ''
  #closed = false

  constructor(options: PublisherOptions) {
    this.#options = options
    try {
      // Events of earlier sessions have the ids of another service.
      this.#lastSeq = this.#opened()?.lastSeq ?? 0
    } catch (error) {
      this.#warn(error)
    }
  }

  /** An event has arrived or ended. */
  note(): void {
    // The next look comes sooner.
    if (this.#looksLeft === 0) this.#clearTimer()
    this.#looksLeft = LOOKS_AFTER_EVENT
    this.#next()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#clearTimer()
    await this.#looking
    this.#history?.close()
  }

  /** The recording; undefined as long as there is none. */
  #opened(): History | undefined {
    const { root, report } = this.#options
    const file = join(root, '.botwright', historyNames.dev)
    if (!this.#history && existsSync(file)) this.#history = new History(file, (text) => report.warning(text))
    return this.#history
  }

  #next(): void {
    const isIdle = this.#looksLeft === 0 && this.#unfinished.size === 0
    if (this.#timer !== undefined || this.#looking || this.#closed || isIdle) return
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        if (this.#looksLeft > 0) this.#looksLeft--
        this.#looking = this.#look()
          .catch((error: unknown) => this.#warn(error))
          .finally(() => {
            this.#looking = undefined
            this.#next()
          })
      },
      this.#looksLeft > 0 ? LOOK_MS : LOOK_AT_OPEN_MS,
    )
  }

  #clearTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #look(): Promise<void> {
    const history = this.#opened()
    if (!history) return
    const found = history.events({ afterSeq: this.#lastSeq, limit: MOST_READ })
    this.#lastSeq = found.at(-1)?.seq ?? this.#lastSeq
    const events = chosen(found)
    if (this.#unfinished.size > 0) events.unshift(...history.events({ seqs: [...this.#unfinished.keys()] }))
    let body: Published[] = []
    let length = 0
    for (const event of events) {
      const timeline = this.#changed(event)
      if (!timeline) continue
      if (body.length > 0 && length + timeline.json.length > LONGEST_BODY) {
        await this.#send(body)
        body = []
        length = 0
      }
      body.push(timeline)
      length += timeline.json.length
    }
    for (const seq of [...this.#unfinished.keys()].slice(0, -MOST_OPEN)) this.#unfinished.delete(seq)
    if (body.length > 0) await this.#send(body)
  }

  /** The timeline of an event, unless the service has it. */
  #changed(event: RecordedEvent): Published | undefined {
    const json = this.#jsonOf(event)
    if (json === undefined) return undefined
    const before = this.#unfinished.get(event.seq)
    this.#unfinished.delete(event.seq)
    if (isOpen(event)) this.#unfinished.set(event.seq, json)
    return json === before ? undefined : { id: event.id, json }
  }

  #jsonOf(event: RecordedEvent): string | undefined {
    const { root, env } = this.#options
    try {
      const timeline = published(withLinks(timelineOf(event), root, env['BOT_EDITOR_LINK']))
      return JSON.stringify(timeline, (_name, value: unknown) =>
        typeof value === 'string' ? wellFormed(value) : value,
      )
    } catch (error) {
      this.#warn(error, event.id)
      return undefined
    }
  }

  async #send(timelines: readonly Published[]): Promise<void> {
    const { baseUrl, token } = this.#options.service
    const response = await fetch(new URL('/dev/v1/timelines', baseUrl), {
      method: 'PUT',
      headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
      body: `{"timelines":[${timelines.map(({ json }) => json).join()}]}`,
    })
    if (response.ok) return response.body?.cancel()
    const error = await refusalOf(response)
    if (response.status >= 500) throw error
    // One refused timeline must not hide the others.
    if (timelines.length > 1) for (const one of timelines) await this.#send([one])
    else this.#warn(error, timelines[0]!.id)
  }

  #warn(error: unknown, eventId?: number): void {
    const shown = eventId === undefined ? 'the timelines of the bot' : `the timeline of event ${eventId}`
    const text = `the page cannot show ${shown}: ${(error as Error).message}`
    if (text !== this.#warned) this.#options.report.warning((this.#warned = text))
  }
}

/** As many events as the service accepts: failures, then those that a file handles, then the others, each the newest. */
export function chosen(events: RecordedEvent[]): RecordedEvent[] {
  if (events.length <= MOST_EVENTS) return events
  const rank = ({ result }: RecordedEvent) => (failedResults.has(result) ? 2 : result === 'none' ? 0 : 1)
  return events
    .toSorted((a, b) => rank(b) - rank(a) || b.seq - a.seq)
    .slice(0, MOST_EVENTS)
    .toSorted((a, b) => a.seq - b.seq)
}

/** An event of a handler that crashed runs again. */
const isOpen = ({ result, atMs }: RecordedEvent): boolean =>
  result === 'unfinished' || (result === 'crashed' && Date.now() - atMs < RUNS_AGAIN_MS)

const lengthOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0

/** Work of the bot's own has its place in the recording as its id: its ids begin again with each process. */
const identified = (timeline: Timeline): Timeline => {
  const { event } = timeline
  return isOwnWork(event) ? { ...timeline, event: { ...event, id: -event.seq } } : timeline
}

/** A timeline as it is sent, of at most `LONGEST_TIMELINE` characters: long values are left out first, then steps. */
export function published(given: Timeline): Timeline {
  const timeline = identified(given)
  if (lengthOf(timeline) <= LONGEST_TIMELINE) return timeline
  const { data, ...event } = timeline.event
  const brief = {
    ...timeline,
    event: { ...event, ...(data && { data: namesOf(data) }) },
    steps: timeline.steps.map((step) => withoutLong(step)),
  }
  for (let most = brief.steps.length; ; most = Math.floor(most / 2)) {
    const steps = most < brief.steps.length ? shortened(brief.steps, most) : brief.steps
    if (lengthOf({ ...brief, steps }) <= LONGEST_TIMELINE || most === 0) return { ...brief, steps }
  }
}

/** The short texts of an event, such as its ids. */
const namesOf = (data: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => lengthOf(value) <= 200))

const optional = ['input', 'response', 'before', 'after'] as const

function withoutLong(step: TimelineStep): TimelineStep {
  const short: Record<string, unknown> = { ...step, text: cut(step.text, LONGEST_PART) }
  for (const name of optional) if (lengthOf(short[name]) > LONGEST_PART / 8) delete short[name]
  return short as unknown as TimelineStep
}

/** The first steps and the last one, which is how the event ended. */
const shortened = (steps: readonly TimelineStep[], most: number): TimelineStep[] => [
  ...steps.slice(0, most),
  ...steps.slice(-1),
]

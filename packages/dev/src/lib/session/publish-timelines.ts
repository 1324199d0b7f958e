import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { History, historyNames, type RecordedEvent, timelineOf, withLinks } from '@botwright/framework/replay'
import { cut, wellFormed } from '@botwright/protocol/facts'
import type { Timeline, TimelineStep } from '@botwright/protocol/timeline'
import type { DevReport } from './dev-report.ts'
import { refusalOf } from '../local-service/limited-body.ts'
import type { LocalService } from '../local-service/local-service.ts'

/** The recording is written in groups, so a look directly after an event finds nothing. */
const LOOK_MS = 250
const LOOKS_AFTER_EVENT = 6
/** While a handler runs or waits. */
const LOOK_AT_OPEN_MS = 1000
const RUNS_AGAIN_MS = 60_000
/** The newest events of each look: a flood is shown in part. The service accepts no more at once. */
const MOST_EVENTS = 100
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

export interface TimelinePublisher extends AsyncDisposable {
  /** An event has arrived or ended. */
  note: () => void
}

/** Sends the timelines of events to the local service, from the recording. The page works without them, so an error is a warning. */
export function timelinePublisher(
  root: string,
  { baseUrl, token }: Pick<LocalService, 'baseUrl' | 'token'>,
  { report, env }: { report: Pick<DevReport, 'warning'>; env: NodeJS.ProcessEnv },
): TimelinePublisher {
  const url = new URL('/dev/v1/timelines', baseUrl)
  const file = join(root, '.botwright', historyNames.dev)
  const open = (): History | undefined => (existsSync(file) ? new History(file, report.warning) : undefined)
  let history: History | undefined
  let lastSeq = 0
  /** The last timeline of each event that has not ended, by its `seq`. */
  const unfinished = new Map<number, string>()
  let timer: NodeJS.Timeout | undefined
  let looksLeft = 0
  let looking: Promise<void> | undefined
  let warned = ''
  let closed = false

  const warn = (error: unknown, eventId?: number) => {
    const shown = eventId === undefined ? 'the timelines of the bot' : `the timeline of event ${eventId}`
    const text = `the page cannot show ${shown}: ${(error as Error).message}`
    if (text !== warned) report.warning((warned = text))
  }
  try {
    // Events of earlier sessions have the ids of another service.
    history = open()
    lastSeq = history?.lastSeq ?? 0
  } catch (error) {
    warn(error)
  }

  const send = async (timelines: readonly Published[]): Promise<void> => {
    const response = await fetch(url, {
      method: 'PUT',
      headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
      body: `{"timelines":[${timelines.map(({ json }) => json).join()}]}`,
    })
    if (response.ok) return response.body?.cancel()
    const error = await refusalOf(response)
    if (response.status >= 500) throw error
    // One refused timeline must not hide the others.
    if (timelines.length > 1) for (const one of timelines) await send([one])
    else warn(error, timelines[0]!.id)
  }

  const look = async () => {
    history ??= open()
    if (!history) return
    const events = history.events({ afterSeq: lastSeq, limit: MOST_EVENTS })
    lastSeq = events.at(-1)?.seq ?? lastSeq
    if (unfinished.size > 0) events.unshift(...history.events({ seqs: [...unfinished.keys()] }))
    let body: Published[] = []
    for (const event of events) {
      const json = jsonOf(event)
      if (json === undefined) continue
      const before = unfinished.get(event.seq)
      unfinished.delete(event.seq)
      if (isOpen(event)) unfinished.set(event.seq, json)
      if (json === before) continue
      if (body.length > 0 && body.reduce((sum, one) => sum + one.json.length, json.length) > LONGEST_BODY) {
        await send(body)
        body = []
      }
      body.push({ id: event.id, json })
    }
    for (const seq of [...unfinished.keys()].slice(0, -MOST_OPEN)) unfinished.delete(seq)
    if (body.length > 0) await send(body)
  }

  const jsonOf = (event: RecordedEvent): string | undefined => {
    try {
      const timeline = bounded(withLinks(timelineOf(event), root, env['BOT_EDITOR_LINK']))
      return JSON.stringify(timeline, (_name, value: unknown) =>
        typeof value === 'string' ? wellFormed(value) : value,
      )
    } catch (error) {
      warn(error, event.id)
      return undefined
    }
  }

  const next = () => {
    if (timer !== undefined || looking || closed || (looksLeft === 0 && unfinished.size === 0)) return
    timer = setTimeout(
      () => {
        timer = undefined
        if (looksLeft > 0) looksLeft--
        looking = look()
          .catch(warn)
          .finally(() => {
            looking = undefined
            next()
          })
      },
      looksLeft > 0 ? LOOK_MS : LOOK_AT_OPEN_MS,
    )
  }
  return {
    note() {
      if (looksLeft === 0) clearTimer()
      looksLeft = LOOKS_AFTER_EVENT
      next()
    },
    async [Symbol.asyncDispose]() {
      closed = true
      clearTimer()
      await looking
      history?.close()
    },
  }

  /** The next look comes sooner. */
  function clearTimer() {
    clearTimeout(timer)
    timer = undefined
  }
}

/** An event of a handler that crashed runs again. */
const isOpen = ({ result, atMs }: RecordedEvent): boolean =>
  result === 'unfinished' || (result === 'crashed' && Date.now() - atMs < RUNS_AGAIN_MS)

const lengthOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0

/** A timeline of at most `LONGEST_TIMELINE` characters: long values are left out first, then steps. */
export function bounded(timeline: Timeline): Timeline {
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

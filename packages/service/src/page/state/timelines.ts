import { batch, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { failedResults, type Timeline } from '@botwright/protocol/timeline'
import type { BotProblems, Replay, StreamEvent, TimelineSummary } from '../../people.ts'
import { dropOrder } from '../../lib/framework-dev/drop-order.ts'
import { api } from './api.ts'
import { person } from './store.ts'
import { showError } from './toasts.ts'

/** Maximum number kept in the page; the oldest are dropped first. */
const KEPT = 1000

/** An event of a bot. Two bots of a person may receive the same message as different events. */
export const timelineKey = (botId: string, eventId: number): string => `${botId} ${eventId}`
const keyOf = ({ bot_id, event_id }: TimelineSummary): string => timelineKey(bot_id, event_id)

/** The timelines of the events of the person's bots, by `timelineKey`; only of bots that `framework dev` runs. */
export const timelines = signal<ReadonlyMap<string, TimelineSummary>>(new Map())
/** The newest failure at each message. */
export const failures = signal<Readonly<Record<string, TimelineSummary>>>({})

export const isFailed = ({ result }: { result: string }): boolean => (failedResults as ReadonlySet<string>).has(result)

/** Whether it is about a request to a route of the bot, or a run of a task, instead of an event. */
export const isOwnWork = ({ event_id }: Pick<TimelineSummary, 'event_id'>): boolean => event_id < 0

/** Adds timelines, and replaces those of the same events. */
function putTimelines(list: readonly TimelineSummary[]): void {
  const all = new Map(timelines.value)
  for (const each of list) all.set(keyOf(each), each)
  const spare = Math.max(0, all.size - KEPT)
  for (const [key] of dropOrder([...all], ([, one]) => isFailed(one)).slice(0, spare)) all.delete(key)
  batch(() => {
    timelines.value = all
    list.forEach(noteFailure)
  })
}

function noteFailure(one: TimelineSummary): void {
  if (one.message_id === null) return
  const known = failures.value[one.message_id]
  if (known && known.event_id > one.event_id) return
  if (isFailed(one)) failures.value = { ...failures.value, [one.message_id]: one }
  else if (known?.title === one.title && one.result === 'ok') {
    // The same click or command has worked since.
    const { [one.message_id]: _fixed, ...others } = failures.value
    failures.value = others
  }
}

type ProblemsByBot = Readonly<Record<string, BotProblems>>
/** Why the newest code of the person's bots does not load, by the id of the bot. */
export const codeProblems = signal<ProblemsByBot>({})

/** Changes from the stream while both are loaded: the response may be older. */
let changed: TimelineSummary[] | undefined
let changedProblems: ProblemsByBot = {}

export function problemsChanged({ bot_id, serving, problems }: BotProblems): void {
  const change = { [bot_id]: { bot_id, serving, problems } }
  changedProblems = { ...changedProblems, ...change }
  codeProblems.value = { ...codeProblems.value, ...change }
}

export function timelineChanged({ timeline }: StreamEvent<'bot_timeline'>): void {
  changed?.push(timeline)
  putTimelines([timeline])
}

/** The last replay of each event, by `timelineKey`. */
export const replays = signal<Readonly<Record<string, Replay | 'running'>>>({})
function putReplay(key: string, replay: Replay | 'running' | undefined): void {
  const { [key]: _old, ...others } = replays.value
  replays.value = replay === undefined ? others : { ...others, [key]: replay }
}

/** Runs an event through the current code. Sends nothing. */
export async function startReplay(summary: TimelineSummary): Promise<void> {
  const { bot_id, event_id } = summary
  const key = keyOf(summary)
  putReplay(key, 'running')
  try {
    await api.inspector.replay({ bot_id, event_id: String(event_id) })
  } catch (error) {
    putReplay(key, undefined)
    showError(error)
  }
}

export const replayed = ({ bot_id, event_id, replay }: StreamEvent<'bot_replay'>): void =>
  putReplay(timelineKey(bot_id, event_id), replay)

let loading: Promise<unknown> = Promise.resolve()
/** Resolves once the timelines are loaded, or cannot be. */
export const timelinesLoaded = (): Promise<unknown> => loading

/** Loads the timelines of the person's bots; the stream then sends new ones. */
export function loadTimelines(): void {
  const id = person.peek()?.id
  const since: TimelineSummary[] = (changed = [])
  changedProblems = {}
  const loaded = api.inspector.timelines().then(({ timelines: list, problems }) => {
    if (person.peek()?.id !== id) return
    batch(() => {
      timelines.value = new Map()
      failures.value = {}
      putTimelines([...list, ...since])
      // The result may have been sent while no events came.
      replays.value = Object.fromEntries(Object.entries(replays.value).filter(([, one]) => one !== 'running'))
      codeProblems.value = { ...Object.fromEntries(problems.map((one) => [one.bot_id, one])), ...changedProblems }
    })
  }, showError)
  loading = loaded.finally(() => {
    if (changed === since) changed = undefined
  })
}

export function clearTimelines(): void {
  timelines.value = new Map()
  failures.value = {}
  replays.value = {}
  codeProblems.value = {}
}

/** The steps of an event; read again when its summary changes. Undefined until they are loaded. */
export function useTimeline(summary: TimelineSummary | undefined): Timeline | undefined {
  const [timeline, setTimeline] = useState<Timeline>()
  useEffect(() => {
    if (!summary) return
    let isCurrent = true
    const { bot_id, event_id } = summary
    // The service keeps steps of newer releases as they are; unknown kinds are shown by their text.
    api.inspector.timeline({ bot_id, event_id: String(event_id) }).then(
      (loaded) => isCurrent && setTimeline(loaded as unknown as Timeline),
      (error: unknown) => isCurrent && showError(error),
    )
    return () => {
      isCurrent = false
    }
  }, [summary])
  return timeline
}

import type { BotEvent, Delivery, EventKey } from '@botwright/events/event'
import type { PassedTo } from '@botwright/protocol/timeline'
import type { Clock } from '@botwright/clock'
import type { Call } from '@botwright/rest'
import type { BotEnd, ObservedBot } from './bot-facts.ts'
import type { Outcome } from '../../link/ports.ts'
import type { StepMessage } from '../../link/recorded-step.ts'

/** A call that was made for an event, with its result. */
export interface MadeCall {
  eventId: EventKey
  name: string
  input: unknown
  /** When it began, in milliseconds since 1970. */
  atMs: number
  ms: number
  /** How long it waited for the message budget. */
  budgetMs: number
  /** How many requests were sent. */
  attempts: number
  value?: unknown
  error?: unknown
}

/** Why an event, or a request to a route, does not run. */
export interface Unrun {
  result: 'skipped' | 'dead_lettered' | 'refused'
  message: string
  /** The file that would have handled it. */
  file: () => Promise<string | undefined>
}

/**
 * The calls of a bot that a feature can wrap, and the moments of the bot and of its events that it can see, in their order. A moment that no feature sees costs nothing. Work of the bot's own has
 * `workBegan`, steps, calls and outcomes.
 */
export interface Observer {
  /** Wraps the calls of handlers and of broadcasts. Called once, before `opened`. */
  calls?: (call: Call) => Call
  /** The service has not answered the first request yet, for this reason. Without one: it has. */
  unanswered?: (reason?: string) => void
  /** The stores of the bot are open. This is the clock of the times in them. */
  opened?: (clock: Clock) => void
  /** The bot begins to read events. */
  began?: (bot: ObservedBot) => void
  /** The bot runs. */
  ready?: () => void
  /** The service has refused the token: the bot stops. */
  refused?: (end: BotEnd) => void
  /** The bot stops. */
  stopping?: () => void
  /** The stop was requested again. */
  hurried?: () => void
  /** The handlers of the bot have ended, and its stores close once this resolves. */
  ended?: (end: BotEnd) => Promise<void> | void

  /** An event has arrived. */
  received?: (delivery: Delivery) => void
  /** The event does not run. One that is skipped has `started` before, and a refused request `workBegan`; one that was set aside after its attempts was not `received` by this process. */
  unrun?: (delivery: Delivery, why: Unrun) => void
  /** It is the turn of the event. */
  started?: (delivery: Delivery) => void
  /** It goes to a durable run. Returns the function to call when that run waits again or has ended. */
  passed?: (event: EventKey, to: PassedTo) => () => void
  /** A run of a task, or of a request to a route, begins. Returns the function to call when it has ended. */
  workBegan?: (delivery: Delivery) => () => void
  /** A durable run of it continues from its record since a time, in milliseconds since 1970. */
  continued?: (event: BotEvent, startedMs: number) => void
  /** Its handlers took further steps. */
  steps?: (message: StepMessage) => void
  /** A call of its handlers has ended. */
  called?: (call: MadeCall) => void
  /** One of its handlers has ended. */
  outcome?: (outcome: Outcome) => void
  /** The next event of its queue may run. */
  settled?: (delivery: Delivery) => void
}

type Moment = Exclude<keyof Observer, 'calls' | 'passed' | 'workBegan' | 'ended'>

const moments = Object.keys({
  ...{ unanswered: 1, opened: 1, began: 1, ready: 1, refused: 1, stopping: 1, hurried: 1 },
  ...{ received: 1, unrun: 1, started: 1, continued: 1, steps: 1, called: 1, outcome: 1, settled: 1 },
} satisfies Record<Moment, 1>) as Moment[]

/** One observer for all. It has only the moments that at least one of them sees. */
export function observerOf(observers: readonly Observer[]): Observer {
  const all: Observer = {}
  const seeing = <M extends keyof Observer>(moment: M) =>
    observers.flatMap((one) => (one[moment]?.bind(one) as Observer[M] | undefined) ?? [])
  for (const moment of moments) {
    const notified = seeing(moment) as ((...given: unknown[]) => void)[]
    const [first] = notified
    if (notified.length < 2) Object.assign(all, first && { [moment]: first })
    else all[moment] = (...given: unknown[]) => notified.forEach((notify) => notify(...given))
  }
  const wraps = seeing('calls')
  if (wraps.length > 0) all.calls = (call) => wraps.reduceRight((inner, wrap) => wrap(inner), call)
  const passed = seeing('passed')
  if (passed.length > 0) all.passed = (event, to) => allOf(passed.map((notify) => notify(event, to)))
  const workBegan = seeing('workBegan')
  if (workBegan.length > 0) all.workBegan = (delivery) => allOf(workBegan.map((notify) => notify(delivery)))
  const ended = seeing('ended')
  if (ended.length > 0) all.ended = async (end) => void (await Promise.all(ended.map(async (notify) => notify(end))))
  return all
}

const allOf = (ends: readonly (() => void)[]) => () => ends.forEach((end) => end())

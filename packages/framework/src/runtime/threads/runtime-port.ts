import { preciseTime } from '@botwright/clock'
import type { BotEvent, EventKey } from '@botwright/events/event'
import { limits } from '@botwright/protocol/facts'
import type { CallOptions } from '@botwright/rest'
import type { LinkedCallOptions, RuntimePort } from '../../link/messages.ts'
import { hideFromNow } from '../../link/redaction.ts'
import type { MadeCall, Observer } from '../ports/observer.ts'
import type { DispatcherOptions } from './dispatcher.ts'

/** Callbacks for the reports of one load of the bot's code. */
export interface CodeReports {
  /** Called when a handler starts or stops waiting for an answer with this key. */
  onWaits(key: string, on: boolean): void
  /** Called when the handler of this event starts or stops waiting for a user. */
  onConversation(eventId: EventKey, on: boolean): void
  onDeadLetter(event: BotEvent, reason: string, file: string): void
  /** Called with the place where the function that runs next was registered. */
  onBegins?(at: string, what: string): void
}

/** The runtime's side of the link: serves the requests of the bot's code. */
export function runtimePort(options: DispatcherOptions, reports: CodeReports): RuntimePort {
  const { log, observer = {}, services, withinSpan } = options
  const { outbox, store } = services
  const anyCall = services.call as unknown as (...args: unknown[]) => Promise<unknown>

  function call(name: string, input: unknown, options: LinkedCallOptions): Promise<unknown> {
    const { eventId, span } = options
    const make = (given: LinkedCallOptions & Pick<CallOptions, 'waiting' | 'leaving'>) => {
      const run = () => anyCall(name, input, given)
      return span && withinSpan ? withinSpan(span, run) : run()
    }
    if (!observer.called || eventId === undefined) return make(options)
    return observedCall(observer.called, { eventId, name, input }, (waiting, leaving) =>
      make({ waiting, leaving, ...options }),
    )
  }

  return {
    client: { call, answersLeft: (id) => options.answersLeft?.(id) ?? limits.interaction.answers },
    store,
    broadcasts: outbox.broadcasts,
    outbox,
    reports: {
      log: (level, facts, message) => log[level](facts, message),
      secret: hideFromNow,
      outcome: (outcome) => observer.outcome?.(outcome),
      continued: (event, startedMs) => observer.continued?.(event, startedMs),
      steps: (message) => observer.steps?.(message),
      waits: (key, on) => reports.onWaits(key, on),
      conversation: (eventId, on) => reports.onConversation(eventId, on),
      due: (run, file) => options.onDue?.(run, file),
      deadLetter: (event, reason, file) => reports.onDeadLetter(event, reason, file),
      gathers: (eventId, file) => options.onGathers?.(eventId, file),
      begins: (at, what) => reports.onBegins?.(at, what),
    },
  }
}

/** Makes a call, and reports it with its result. Returns the answer unchanged. */
async function observedCall(
  called: NonNullable<Observer['called']>,
  made: Pick<MadeCall, 'eventId' | 'name' | 'input'>,
  make: (waiting: () => void, leaving: () => void) => Promise<unknown>,
): Promise<unknown> {
  const atMs = preciseTime()
  let attempts = 0
  let budgetMs = 0
  let waitsSinceMs: number | undefined
  const waiting = () => void (waitsSinceMs = preciseTime())
  const leaving = () => {
    if (attempts++ === 0 && waitsSinceMs !== undefined) budgetMs = preciseTime() - waitsSinceMs
  }
  const { eventId, name, input } = made
  try {
    const value = await make(waiting, leaving)
    called({ eventId, name, input, atMs, ms: preciseTime() - atMs, budgetMs, attempts, value })
    return value
  } catch (error) {
    called({ eventId, name, input, atMs, ms: preciseTime() - atMs, budgetMs, attempts, error })
    throw error
  }
}

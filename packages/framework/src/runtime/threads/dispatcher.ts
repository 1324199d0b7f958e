import type { Clock } from '@botwright/clock'
import { endsWithin } from '@botwright/clock/timers'
import { type BotEvent, type Delivery, type EventKey, eventKey } from '@botwright/events/event'
import { limits } from '@botwright/protocol/facts'
import type { BotProfile } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import type { Config } from '../../author/config/config.ts'
import type { LoadRequest, Moment, SpanId } from '../../link/messages.ts'
import type { BotSource, LoadedCode, Outbox, Outcome, RunEnd } from '../../link/ports.ts'
import type { SwitchedDelivery } from '../../link/switched-off.ts'
import type { Observer } from '../ports/observer.ts'
import type { Switches } from '../ports/switches.ts'
import type { Log, StateStore } from '../../author/ports.ts'

/** The error of `replace` while the bot stops. */
export const stoppingError = (): Error => new Error('the bot is stopping: it accepts no new code')

/** The services of the runtime that the bot's code calls through the link. They outlive every load of the code. */
interface RuntimeServices {
  call: Call
  store: StateStore
  outbox: Outbox
}

/** The options of both dispatchers. */
export interface DispatcherOptions {
  services: RuntimeServices
  clock: Clock
  log: Log
  me: BotProfile
  config: Config
  /** Sees what handlers do. */
  observer?: Observer
  /** Their list goes to the thread with each delivery. */
  switches?: Pick<Switches, 'off' | 'refreshed'>
  /** How far `clock` is ahead of this host's. Undefined: it is not, or it is a movable clock. */
  clockAheadMs?: () => number
  /** How long a click can still be answered, by its id. Undefined: unknown. */
  openMs?: (interactionId: string) => number | undefined
  /** How many answers a click still accepts, by its id. */
  answersLeft?: (interactionId: string) => number
  /** Called when a handler starts or stops waiting for the next event of this key (`answerKey`). */
  onWaits?: (key: string, on: boolean) => void
  /** Called when a time of a durable run in memory has come. */
  onDue?: (run: string, file: string) => void
  /** Called with each event that a file gathers. */
  onGathers?: (eventId: EventKey, file: string) => void
  /** Called with a delivery whose thread has died. Resolves with the one that runs instead; undefined: it has nothing left to do. Rejects with `Unfinished` if the bot stops before. */
  again?: (delivery: Delivery) => Promise<Delivery | undefined>
  /** Called with an event that is not run again unless someone replays it. Resolves to whether it is stored; never rejects. */
  onDeadLetter?: (event: BotEvent, reason: string) => Promise<boolean>
  /** The command that replays a dead-lettered event. Default `framework replay`. */
  replayCommand?: string
  /** Makes a call within the span of its handler. */
  withinSpan?: (span: SpanId, run: () => Promise<unknown>) => Promise<unknown>
  /** Captures the place of each call (`BotHost.callSites`). Default false. */
  callSites?: boolean
}

/** The request that loads the bot's code, as sent over the link. */
export function loadRequest(source: BotSource, options: DispatcherOptions): LoadRequest {
  const { me, config, observer, callSites = false } = options
  const { store: _store, ...plain } = config
  return {
    source,
    me,
    config: plain,
    record: observer?.steps !== undefined || observer?.called !== undefined,
    callSites,
    observed: observer?.outcome !== undefined,
  }
}

/** A delivery with what is switched off, and that of a click with the time and the answers that are left. Returns others unchanged. */
export function asBegun(
  delivery: Delivery,
  { openMs, answersLeft, switches }: Pick<DispatcherOptions, 'openMs' | 'answersLeft' | 'switches'>,
) {
  const { type, data } = delivery.event
  const id = type === 'interaction' && typeof data['id'] === 'string' ? data['id'] : undefined
  const ms = id === undefined ? undefined : openMs?.(id)
  const off = switches?.off
  if (ms === undefined && !off) return delivery
  const { answers } = limits.interaction
  const click = id !== undefined &&
    ms !== undefined && { openMs: ms, answersUsed: answers - (answersLeft?.(id) ?? answers) }
  return { ...delivery, ...click, ...(off && { off }) } satisfies SwitchedDelivery
}

/** Sets an event aside that failed through no fault of its handler, and logs how to run it again. */
export function deadLetter(
  { log, observer, onDeadLetter, replayCommand = 'framework replay' }: DispatcherOptions,
  event: BotEvent,
  { reason, file }: { reason: string; file: string },
): void {
  if (!onDeadLetter || event.id <= 0) return
  void onDeadLetter(event, reason)
  observer?.outcome?.(deadLetteredOutcome(event, file, reason))
  log.error(
    { event: event.id },
    `event ${event.id} (${event.type}) is set aside: ${reason}; ${replayCommand} ${event.id} runs it again once the cause is fixed`,
  )
}

/** The outcome of an event that is not run again automatically. */
export const deadLetteredOutcome = (
  event: BotEvent,
  file: string | undefined,
  message: string,
  at = file ?? '',
): Outcome => ({
  eventId: eventKey(event),
  type: event.type,
  file,
  result: 'dead_lettered',
  error: { message, at, reference: '' },
})

/** Runs the bot's handlers, in this thread or in workers. One conformance suite tests both implementations. */
export interface BotDispatcher {
  /**
   * Settles when the handler has ended, whatever its result; a delivery whose worker died runs again, marked `redelivered`.
   * Rejects with `Unfinished` once it is closed, or if it is abandoned.
   * `ended`: called before that with the failure or the result of work of the bot's own.
   */
  dispatch(delivery: Delivery, ended?: (end: RunEnd) => void): Promise<void>
  /**
   * Takes new code: resolves when it runs, rejects (and keeps the old code) if it does not load.
   * `signal` cancels code that is still loading, perhaps stuck in an endless loop.
   */
  replace(source: BotSource, options?: { signal?: AbortSignal }): Promise<LoadedCode>
  /** Runs `events/ready.ts` or `events/shutdown.ts`, within the handlers' limit. Never rejects. */
  lifecycle(moment: Moment): Promise<void>
  /** Starts no new handlers; running ones have `graceMs` to finish. Returns how many did not. */
  close(options: { graceMs: number }): Promise<{ unfinished: number }>
  /**
   * Ends all running handlers at once: they reject with `Unfinished`, and another instance runs their events again. Later deliveries run in
   * new threads with the same code. Resolves when nothing that the old handlers do has an effect.
   */
  abandon(): Promise<void>
  /** The file that handles each event; undefined for an event without a handler. */
  files(deliveries: readonly Delivery[]): Promise<readonly (string | undefined)[]>
  /** Whether a handler in memory waits for the next event of this key (`answerKey`). */
  isAwaited(key: string): boolean
  /** How many handlers run now. */
  readonly running: number
  /** The deliveries of these handlers. */
  readonly deliveries: readonly Delivery[]
  /** The time until the next timer of handlers in threads whose clock can be moved. */
  nextTimerMs?(): Promise<number | undefined>
  /** How many workers died or were blocked, and were replaced. */
  readonly restarts?: number
}

/** Waits for a lifecycle file as long as for a handler, then logs that it takes longer. `running` rejects only if its thread or link ends. */
export async function limitLifecycle(
  { clock, log, config }: DispatcherOptions,
  moment: Moment,
  running: Promise<void>,
): Promise<void> {
  const { handlerSeconds } = config.limits
  const file = `events/${moment}.ts`
  const what = moment === 'ready' ? 'the bot runs' : 'the bot stops'
  const text = `${file}: did not end within ${handlerSeconds} s; ${what} without it. Await less, or raise limits.handlerSeconds in bot.config.ts`
  const ended = await endsWithin(clock, handlerSeconds * 1000, running).catch(() => true)
  if (!ended) log.error({ code: 'ERR_HANDLER_TIMEOUT', file }, text)
}

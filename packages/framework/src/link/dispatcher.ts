import type { Clock } from '@botwright/clock'
import type { BotEvent, Delivery } from '@botwright/events/event'
import type { BotProfile } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import type { Config } from '../author/config/config.ts'
import type { Dispatcher, Outbox, Outcome } from './ports.ts'
import type { Log, StateStore } from '../author/ports.ts'
import type { CallRecorder } from './record-call.ts'

/** The error for callers that pass new code while the bot is stopping. */
export const stoppingError = (): Error => new Error('the bot is stopping: it accepts no new code')

/** The options of both dispatchers: services of the supervisor, which outlive every worker. */
export interface DispatcherOptions {
  call: Call
  store: StateStore
  outbox: Outbox
  clock: Clock
  log: Log
  me: BotProfile
  config: Config
  observe?: (outcome: Outcome) => void
  /** Called when a handler starts or stops waiting for the next event with this key (`answerKey`). */
  onWaits?: (key: string, on: boolean) => void
  /** Whether `abandon` may be called. */
  abandonable?: boolean
  /** Called with an event that is dead-lettered: it runs again only on request. */
  onDeadLetter?: (event: BotEvent, reason: string) => void
  /** The command that replays an event that was set aside. Default: `framework replay`. */
  replayCommand?: string
  /** Called with each call that a handler makes. Set before code is loaded. */
  recorder?: CallRecorder | undefined
}

/** Dead-letters an event that failed through no fault of its handler, and logs how to replay it. */
export function deadLetter(
  { log, observe, onDeadLetter, replayCommand = 'framework replay' }: DispatcherOptions,
  event: BotEvent,
  { reason, file }: { reason: string; file: string },
): void {
  if (!onDeadLetter || event.id <= 0) return
  onDeadLetter(event, reason)
  observe?.(deadLetteredOutcome(event, file, reason))
  log.error(
    { event: event.id },
    `event ${event.id} (${event.type}) is set aside: ${reason}; ${replayCommand} ${event.id} runs it again once the cause is fixed`,
  )
}

/** The outcome of an event that is not retried automatically. */
export const deadLetteredOutcome = ({ id, type }: BotEvent, file: string | undefined, message: string): Outcome => ({
  eventId: id,
  type,
  file,
  result: 'dead_lettered',
  error: { message, at: file ?? '', reference: '' },
})

/** Waits until no handler is running, at most `graceMs`. Returns how many still are. */
export async function drain(clock: Clock, running: () => number, graceMs: number): Promise<number> {
  const endMs = clock.monotonic() + graceMs
  while (running() > 0 && clock.monotonic() < endMs)
    await new Promise<void>((resolve) => clock.after(10, resolve, { keepAlive: true }))
  return running()
}

/** A dispatcher that holds loaded code and can run its lifecycle files. */
export interface BotDispatcher extends Dispatcher {
  /** Runs `events/ready.ts` or `events/shutdown.ts`, for at most `limits.handlerSeconds`. Never rejects. */
  lifecycle(moment: 'ready' | 'shutdown'): Promise<void>
  /**
   * Ends all running handlers at once without settling them, because other instances run them again. Later events run in new threads
   * with the same code. Resolves when none of the ended handlers can act any longer.
   */
  abandon(): Promise<void>
  /** The file that handles each event, in the order of the events; undefined where none does. */
  files(deliveries: readonly Delivery[]): Promise<readonly (string | undefined)[]>
  /** How many handlers are running. */
  readonly running: number
  /** How many workers were replaced because they exited or were blocked. */
  readonly restarts?: number
}

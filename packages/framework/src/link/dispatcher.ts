import type { Clock } from '@botwright/clock'
import type { BotEvent, Delivery } from '@botwright/events/event'
import type { BotProfile } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import type { Config } from '../author/config/config.ts'
import type { Dispatcher, Outbox, Outcome } from './ports.ts'
import type { Log, StateStore } from '../author/ports.ts'
import type { CallRecorder } from './record-call.ts'

/** What is thrown to who brings code when the bot stops. */
export const bringsTooLate = (): Error => new Error('the bot is stopping: it accepts no new code')

/** What both dispatchers need: the supervisor's side of the house, which outlives every worker. */
export interface DispatcherOptions {
  call: Call
  store: StateStore
  outbox: Outbox
  clock: Clock
  log: Log
  me: BotProfile
  config: Config
  observe?: (outcome: Outcome) => void
  /** Hears that a handler waits for the next event of this key (`answerKey`), or no longer. */
  onWaits?: (key: string, on: boolean) => void
  /** Whether `abandon` may be called. */
  abandonable?: boolean
  /** Hears of an event that is not run again unless somebody asks for it. */
  onGivenUp?: (event: BotEvent, reason: string) => void
  /** The command by which an event that was set aside is run again; `framework replay` unless it says otherwise. */
  replayCommand?: string
  /** Hears of each call that a handler makes. Known when code is loaded, not before. */
  recorder?: CallRecorder | undefined
}

/** Sets an event aside that failed by no fault of its handler, and says how it is run again. */
export function giveUp(
  { log, observe, onGivenUp, replayCommand = 'framework replay' }: DispatcherOptions,
  event: BotEvent,
  { reason, file }: { reason: string; file: string },
): void {
  if (!onGivenUp || event.id <= 0) return
  onGivenUp(event, reason)
  observe?.(deadLettered(event, file, reason))
  log.error(
    { event: event.id },
    `event ${event.id} (${event.type}) is set aside: ${reason}; ${replayCommand} ${event.id} runs it again once the cause is fixed`,
  )
}

/** The outcome of an event that is not run again by itself. */
export const deadLettered = ({ id, type }: BotEvent, file: string | undefined, message: string): Outcome => ({
  eventId: id,
  type,
  file,
  result: 'dead_lettered',
  error: { message, at: file ?? '', reference: '' },
})

/** Waits until no handler runs, `graceMs` at most; returns how many still do. */
export async function drain(clock: Clock, running: () => number, graceMs: number): Promise<number> {
  const endMs = clock.monotonic() + graceMs
  while (running() > 0 && clock.monotonic() < endMs)
    await new Promise<void>((resolve) => clock.after(10, resolve, { keepAlive: true }))
  return running()
}

/** A dispatcher that holds loaded code and can tell it of the bot's own life. */
export interface BotDispatcher extends Dispatcher {
  /** Runs `events/ready.ts` or `events/shutdown.ts`, within the handlers' limit. Never rejects. */
  lifecycle(moment: 'ready' | 'shutdown'): Promise<void>
  /**
   * Ends everything that runs, at once and without settling it: others run it again. What comes next runs in new threads with the same
   * code. Resolves when nothing of it can act any more.
   */
  abandon(): Promise<void>
  /** The files that handle events, in the order of the events; of an event that none handles undefined. */
  files(deliveries: readonly Delivery[]): Promise<readonly (string | undefined)[]>
  /** How many handlers run now. */
  readonly running: number
  /** How many workers died or were blocked, and were replaced. */
  readonly restarts?: number
}

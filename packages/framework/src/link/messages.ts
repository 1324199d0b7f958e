import type { BotEvent, Delivery, EventKey } from '@botwright/events/event'
import type { BotProfile } from '@botwright/protocol/shapes'
import type { CallOptions } from '@botwright/rest'
import type { Config } from '../author/config/config.ts'
import type { LogLevel, StateStore } from '../author/ports.ts'
import type { Broadcasts } from '../author/sending/broadcast.ts'
import type { Apology, BotSource, LoadedCode, Outbox, Outcome, RunEnd } from './ports.ts'
import type { StepMessage } from './recorded-step.ts'

/** The `workerData` of a worker. */
export interface WorkerData {
  /**
   * Three floats: the id and the era of the event whose handler occupies the thread, 0 if none does, and how far the clock of the thread is
   * ahead of the host's. Readable while the thread is blocked.
   */
  current: SharedArrayBuffer
  /** The clock of the thread can be moved: `framework dev`. */
  movable: boolean
}

/** An error in a form that can cross threads: structured clone would drop its class and code. */
export interface PlainError {
  name: string
  message: string
  stack?: string
  code?: string
  /** The other fields of a `ServiceError`: status, endpoint, retryAfterSeconds … */
  facts?: Record<string, unknown>
}

/** An error in the facts of a log line: the shape that pino gives an `err`, with the stacks of its causes and its own simple fields. */
export interface LoggedError {
  type: string
  message: string
  stack: string
  [field: string]: unknown
}

/** A configuration without the parts that cannot leave the supervisor's thread. */
type WorkerConfig = Omit<Config, 'store'>

export type Moment = 'ready' | 'shutdown'

/** How long one function passed to `onDispose` may take. */
export const DISPOSE_MS = 2000

/** The ids of an OpenTelemetry span, so that another thread can create child spans. */
export interface SpanId {
  traceId: string
  spanId: string
  traceFlags: number
}

/** The options of a call that can cross threads. */
export interface LinkedCallOptions extends Pick<CallOptions, 'priority' | 'timeoutMs' | 'longestWaitMs'> {
  signal: AbortSignal | undefined
  /** The event whose handler makes the call. Set if the bot is recorded. */
  eventId?: EventKey | undefined
  /** The span of the call. Set if the bot is traced. */
  span?: SpanId | undefined
}

/** A request to load the bot's code in a thread. */
export interface LoadRequest {
  source: BotSource
  me: BotProfile
  config: WorkerConfig
  /** Whether calls are recorded with their event. */
  record: boolean
  /** Whether the place of each call is captured (`BotHost.callSites`). */
  callSites: boolean
  /** Whether anything listens to outcomes. A report for each event has a cost. */
  observed: boolean
}

/** The methods of the bot's code that the runtime calls. */
export interface BotPort {
  readonly bot: {
    load(request: LoadRequest): Promise<LoadedCode>
    /** Settles when the handler has ended or no longer blocks its channel, with the failure or the result of work of the bot's own. */
    run(delivery: Delivery): void | Promise<RunEnd | void>
    /** The files that handle these deliveries. */
    files(deliveries: readonly Delivery[]): readonly (string | undefined)[]
    /** Sends the user whose event failed a message with the reason. */
    apologize(delivery: Delivery, why: Apology): void
    /** Runs `events/ready.ts` or `events/shutdown.ts`. */
    lifecycle(moment: Moment): Promise<void>
    /** A handler in another thread now waits for the answer with this key. */
    replaced(key: string): void
    /** Calls the functions passed to `onDispose`. */
    dispose(): Promise<void>
    /** Returns the bytes that the heap of the thread uses. */
    ping(): number
    /** Moves the clock of the thread ahead of the system's, for development. Returns the time until its next timer, in milliseconds. */
    moveClock(aheadMs: number): number | undefined
  }
}

/** The methods of the runtime that the bot's code calls. */
export interface RuntimePort {
  readonly client: {
    call(name: string, input: unknown, options: LinkedCallOptions): Promise<unknown>
    /** How many answers a click still accepts, as far as this process knows. */
    answersLeft(interactionId: string): number
  }
  readonly store: StateStore
  readonly broadcasts: Broadcasts
  readonly outbox: Pick<Outbox, 'budget'>
  readonly reports: {
    log(level: LogLevel, facts: object, message: string): void
    /** A text that must not appear in the log. */
    secret(secret: string): void
    outcome(outcome: Outcome): void
    /** A durable run of this event continues from its record since a time, in milliseconds since 1970. Only of recorded bots. */
    continued(event: BotEvent, startedMs: number): void
    /** Steps of events whose handlers run in this thread. Only of recorded bots. */
    steps(message: StepMessage): void
    /** A handler starts or stops waiting for the answer with this key. */
    waits(key: string, on: boolean): void
    /** The handler of this event starts or stops waiting for a user. Its thread must not end while it waits. */
    conversation(eventId: EventKey, on: boolean): void
    /** A time of a durable run in the memory of this thread has come. */
    due(run: string, file: string): void
    deadLetter(event: BotEvent, reason: string, file: string): void
    /** A file gathers this event. */
    gathers(eventId: EventKey, file: string): void
    /** A function of `onDispose`, or of a resource, is about to run. `at`: where it was registered. */
    begins(at: string, what: string): void
  }
}

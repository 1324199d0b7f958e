import type { BotEvent } from '@botwright/events/event'
import type { BotProfile } from '@botwright/protocol/shapes'
import type { CallOptions } from '@botwright/rest'
import type { Config } from '../author/config/config.ts'
import type { LogLevel, StateStore } from '../author/ports.ts'
import type { Broadcasts } from '../author/sending/broadcast-job.ts'
import type { Apology, BotSource, LoadedCode, Outbox, Outcome } from './ports.ts'

/** What a worker is started with. */
export interface WorkerData {
  /** One float: the id of the event whose handler holds the thread now, 0 when none does. Readable while the thread is blocked. */
  current: SharedArrayBuffer
}

/** An error as it crosses threads: structured clone would drop its class and code. */
export interface PlainError {
  name: string
  message: string
  stack?: string
  code?: string
  /** The further fields of a `ServiceError`: status, endpoint, retryAfterSeconds … */
  facts?: Record<string, unknown>
}

/** An error among the facts of a log line, as pino writes an `err`, with the stacks of its causes and its own simple fields. */
export interface LoggedError {
  type: string
  message: string
  stack: string
  [field: string]: unknown
}

/** A configuration without what cannot leave the supervisor's thread. */
export type WorkerConfig = Omit<Config, 'store'>

export interface PlainDelivery {
  event: BotEvent
  attempt: number
}

export type Moment = 'ready' | 'shutdown'

/** How long one function given to `onDispose` may take. */
export const DISPOSE_MS = 2000

/** An OpenTelemetry span by its ids, so that spans of another thread can be its children. */
export interface SpanId {
  traceId: string
  spanId: string
  traceFlags: number
}

/** The options of a call that may leave the thread. */
export interface LinkedCallOptions extends Pick<CallOptions, 'priority' | 'timeoutMs'> {
  signal: AbortSignal | undefined
  /** The event whose handler makes the call. Set where the bot is recorded. */
  eventId?: number
  /** The span of the call. Set where the bot is traced. */
  span?: SpanId
}

/** What a thread loads the bot's code with. */
export interface LoadRequest {
  source: BotSource
  me: BotProfile
  config: WorkerConfig
  /** Whether calls are recorded with the event that they were made for. */
  record: boolean
  /** Whether anything listens to outcomes: a report for each event is not free. */
  observed: boolean
}

/** What the runtime asks of the bot's code. */
export interface BotPort {
  readonly bot: {
    load(request: LoadRequest): Promise<LoadedCode>
    /** Settles when the handler has ended, or no longer holds up its channel. */
    run(delivery: PlainDelivery): void | Promise<void>
    /** The files that handle these deliveries. */
    files(deliveries: readonly PlainDelivery[]): readonly (string | undefined)[]
    /** Tells the user whom an event came from what became of it. */
    apologize(delivery: PlainDelivery, why: Apology): void
    /** Runs `events/ready.ts` or `events/shutdown.ts`. */
    lifecycle(moment: Moment): Promise<void>
    /** A handler in another thread waits for the answer with this key now. */
    replaced(key: string): void
    /** Calls the functions given to `onDispose`. */
    dispose(): Promise<void>
    ping(): void
  }
}

/** What the bot's code asks of the runtime. */
export interface RuntimePort {
  readonly client: { call(name: string, input: unknown, options: LinkedCallOptions): Promise<unknown> }
  readonly store: StateStore
  readonly broadcasts: Broadcasts
  readonly outbox: Pick<Outbox, 'budget'>
  readonly reports: {
    log(level: LogLevel, facts: object, message: string): void
    /** A text that no line of the log may contain. */
    secret(secret: string): void
    outcome(outcome: Outcome): void
    /** A handler waits for an answer with this key, or no longer. */
    waits(key: string, on: boolean): void
    /** The handler of this event waits for a user, or no longer: its thread must live on. */
    talks(eventId: number, on: boolean): void
    givenUp(event: BotEvent, reason: string, file: string): void
    /** Where the function given to `onDispose` that runs now was registered. */
    disposing(at: string): void
  }
}

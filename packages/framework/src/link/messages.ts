import type { BotEvent } from '@botwright/events/event'
import type { BotProfile, MessageCreate } from '@botwright/protocol/shapes'
import type { Config } from '../author/config/config.ts'
import type { Apology, BotSource, LoadedCode, Outcome } from './ports.ts'
import type { LogLevel } from '../author/ports.ts'

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

/** What a worker asks of the supervisor's store. A value travels as the JSON text that is kept: another thread's copy would differ from it. */
export type StoreRequest =
  | { method: 'get'; key: string }
  | { method: 'set'; key: string; text: string; expected?: number; expiresAtMs?: number }
  | { method: 'delete'; key: string; expected?: number }
  | { method: 'list'; prefix: string; after?: string; limit?: number }

/** What a worker asks of the supervisor's outbox. */
export type OutboxRequest =
  | { method: 'start'; broadcast: string; channels: readonly string[]; message: MessageCreate }
  | { method: 'next'; broadcast: string; done: number }
  | { method: 'cancel'; broadcast: string }
  | { method: 'budget' }

export type Moment = 'ready' | 'shutdown'

/** How long one function given to `onDispose` may take. */
export const DISPOSE_MS = 2000

/** What the supervisor says to a worker. */
export type ToWorker =
  | { kind: 'load'; source: BotSource; me: BotProfile; config: WorkerConfig; record: boolean; observed: boolean }
  | { kind: 'run'; deliveries: PlainDelivery[] }
  | { kind: 'files'; id: number; deliveries: PlainDelivery[] }
  /** Tells the person whom an event came from what became of it. */
  | { kind: 'apologize'; delivery: PlainDelivery; why: Apology }
  | { kind: 'lifecycle'; moment: Moment }
  | { kind: 'dispose' }
  /** A handler in another thread waits for the answer with this key now. */
  | { kind: 'replaced'; key: string }
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'refusal'; id: number; error: PlainError }
  | { kind: 'ping' }

/** An OpenTelemetry span by its ids, so that spans of another thread can be its children. */
export interface SpanId {
  traceId: string
  spanId: string
  traceFlags: number
}

/** What a worker says to the supervisor. */
export type FromWorker =
  | { kind: 'warm' }
  | { kind: 'loaded'; code: LoadedCode }
  | { kind: 'refused'; error: PlainError }
  | { kind: 'done'; ids: number[] }
  | { kind: 'given up'; event: BotEvent; reason: string; file: string }
  | { kind: 'files'; id: number; files: (string | undefined)[] }
  | { kind: 'lifecycle'; moment: Moment }
  | { kind: 'disposing'; at: string }
  | { kind: 'disposed' }
  | {
      kind: 'call'
      id: number
      name: string
      input: unknown
      priority?: string
      timeoutMs?: number
      /** The event whose handler asks; told where the bot is recorded. */
      eventId?: number
      /** The span of this call; sent where the bot is traced. */
      span?: SpanId
    }
  | { kind: 'cancel'; id: number }
  | { kind: 'store'; id: number; request: StoreRequest }
  | { kind: 'waits'; key: string; on: boolean }
  | { kind: 'talks'; id: number; on: boolean }
  | { kind: 'outbox'; id: number; request: OutboxRequest }
  | { kind: 'log'; level: LogLevel; facts: object; message: string }
  /** Something that no line of the log may hold. */
  | { kind: 'secret'; secret: string }
  | { kind: 'outcome'; outcome: Outcome }
  | { kind: 'pong' }

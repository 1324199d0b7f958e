import type { TimelineFailure } from '@botwright/protocol/timeline'
import type { Result } from '../../link/ports.ts'
import type { RecordedStep } from '../../link/recorded-step.ts'

/** The recorded result of an event. */
export type RecordedResult = Result | 'none' | 'passed' | 'unfinished'

/** A call that a bot made for an event. */
export interface RecordedCall {
  name: string
  /** Without tokens; undefined if it was too long to record. */
  input: unknown
  ms: number
  /** When it began, in milliseconds since 1970. Undefined in recordings of older releases. */
  atMs?: number
  /** How many requests were sent. */
  attempts?: number
  /** The HTTP status of a failed call. */
  status?: number
  /** The code of the error, if the call failed; `error` is its message. */
  code?: string
  error?: string
  /** The id of the message or direct-message channel that it created. */
  created?: string
  /** When the quiet hours end that the message waits for. */
  held_until?: string
  /** The response, if the call only reads. */
  answer?: unknown
}

/** An event with its result and the calls made for it. */
export interface RecordedEvent {
  /** Increases in the order in which events were received. */
  seq: number
  /** The service that the bot was connected to. */
  baseUrl: string
  botId: string
  username: string
  /** The event itself. `data` contains no token; undefined if it was too long to record. */
  id: number
  /** How often the service's ids had started again. Left out: 0. */
  era?: number
  type: string
  created_at: string
  data: Record<string, unknown> | undefined
  /** When the bot received it, in milliseconds since 1970. */
  atMs: number
  /**
   * `none`: no file handles it. `passed`: a handler had waited for it. `unfinished`: its handler is still running, or the bot died.
   * Otherwise as in `Outcome`.
   */
  result: RecordedResult
  file?: string
  ms?: number
  error?: string
  /** The line of the bot's own code that threw, `commands/ping.ts:12`, or the file alone. */
  at?: string
  calls: readonly RecordedCall[]
  /** The event of the handler that had waited for this one, with what happened for it until it waited again, or ended. */
  passedTo?: RecordedEvent
  /** The label or emoji of the clicked button, if the handler that it was passed to had posted it. */
  label?: string
  /** Everything else that happened for it; undefined in recordings of older releases. */
  steps?: readonly RecordedStep[]
  /** The details of the error; undefined in recordings of older releases. */
  failure?: Omit<TimelineFailure, 'message' | 'link'>
}

/** Whether a recorded event is work of the bot's own, a run of a task or of a request to a route: it has no id of the service. */
export const isOwnWork = ({ id }: Pick<RecordedEvent, 'id'>): boolean => id < 0

export const isTask = (event: Pick<RecordedEvent, 'id' | 'type'>): boolean => isOwnWork(event) && event.type === 'task'

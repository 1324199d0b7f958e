import type { Clock } from '@botwright/clock'
import type { Delivery } from '@botwright/events/event'
import type { Questions } from '../../author/ask-options.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import type { Admits, Waiting, WaitingHandler } from './waiting.ts'

/** An answer to wait for. */
export interface AnswerWait {
  key: string
  /** The time of the earliest answer, in milliseconds since 1970. */
  sinceMs: number
  timeoutMs: number
  /** Whether an event may answer. Default: every event with the key. */
  admits?: Admits
  /** The answer in English, for the list of runs: `an answer from ann in #general`. */
  what: string
  /** The channel in which the user waits, if it is another one than that of the event. */
  channel_id?: string | undefined
}

/** The conversation of one handler with a user. */
export interface Talk {
  wait(options: AnswerWait): Promise<{ delivery: Delivery } | 'late' | 'replaced'>
  /** Runs work that may wait for the user at any time. */
  during<T>(work: () => Promise<T>): Promise<T>
  /** Ends the conversation with its handler. `calls`: those that the handler does not await. */
  end(calls: Promise<void> | undefined): Promise<void>
  /** The user's last answer. The next question replies to it. */
  answer: { channel_id: string; id: string } | undefined
}

/** The parts of a bot that the questions of its handlers use. */
export interface QuestionsHost {
  readonly clock: Clock
  readonly store: StateStore
  readonly log: Log
  readonly waiting: Waiting
  /** Releases the queue of an event although this handler has not ended. */
  readonly park: (by: WaitingHandler) => void
  /** Called before a question is posted, with the key of its answers. The question is posted after the promise resolves. */
  readonly expects?: (key: string) => void | Promise<void>
  /** Creates the conversation of a durable handler. */
  readonly talk?: () => Talk
  /** Resolves when a durable handler is dropped: its calls never settle from then on. */
  readonly dropped?: Promise<void>
}

/** Creates the questions of a bot's handlers. */
export type OpenQuestions = (host: QuestionsHost) => Questions

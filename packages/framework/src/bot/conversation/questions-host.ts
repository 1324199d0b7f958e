import type { Clock } from '@botwright/clock'
import type { Questions } from '../../author/ask-options.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import type { Waiting, WaitingHandler } from './waiting.ts'

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
}

/** Creates the questions of a bot's handlers. */
export type OpenQuestions = (host: QuestionsHost) => Questions

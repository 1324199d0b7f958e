import type { BotEvent, Delivery } from '@botwright/events/event'
import type { Failure } from './failure.ts'
import type { Outcome } from '../../link/ports.ts'

/** A failure with its error, on its way to the thread of the bot's code. */
export interface FailureFacts {
  failure: Failure
  error: Pick<NonNullable<Outcome['error']>, 'message' | 'name' | 'code' | 'stack'>
}

/** A type that the service does not have: its types have no dot. */
export const failureType = 'botwright.error'

/** Negative, as those of tasks: there is no stored event. Far from them. */
let last = -(2 ** 51)

/** Brings a failure to the files of the event `error`. */
export const failureDelivery = (facts: FailureFacts, nowMs: number): Delivery => ({
  event: { id: --last, type: failureType, data: { facts }, created_at: new Date(nowMs).toISOString() },
  attempt: 1,
})

export const isFailure = ({ type }: Pick<BotEvent, 'type'>): boolean => type === failureType
export const factsOf = ({ data }: BotEvent): FailureFacts => data['facts'] as FailureFacts

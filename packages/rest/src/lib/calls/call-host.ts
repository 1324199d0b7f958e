import { elapsedOf, systemClock, type Clock } from '@botwright/clock'
import { limits } from '@botwright/protocol/facts'
import { MessageBudget } from '../budget.ts'
import type { RestOptions, RestStats } from '../call-types.ts'
import { ClickAnswers } from '../click-answers.ts'
import type { LimitStore } from '../limit-store.ts'
import type { Places } from '../places.ts'
import { sendTimesNotSaved, waitingReports } from '../reports.ts'
import { LONGEST_WAIT_MS } from '../retry.ts'
import type { SeenDate } from '../service-date.ts'
import { Closing } from './closing.ts'

/** Shared by the calls of one client. */
export interface CallHost {
  readonly onDelay: RestOptions['onDelay'] | undefined
  readonly onReport: RestOptions['onReport'] | undefined
  readonly onTraffic: RestOptions['onTraffic'] | undefined
  readonly clock: Clock
  /** For times that pass, whatever the date of the host is. */
  readonly elapsed: Clock
  readonly random: () => number
  readonly longestWaitMs: number
  readonly closing: Closing
  readonly answers: ClickAnswers
  readonly budget: LimitStore | undefined
  readonly counts: Pick<RestStats, 'rateLimited' | 'requests' | 'retries' | 'sent'>
  /** The last `Date` of the service. */
  date: SeenDate | undefined
  /** Most calls never wait for another one: the first that has to creates it. */
  places: Places | undefined
  readonly reportWaiting: (waitMs: number) => void
}

export function hostOf(options: RestOptions, timeoutMs: number): CallHost {
  const { clock = systemClock, random = Math.random, onReport, onTraffic, onDelay } = options
  const { longestWaitMs = LONGEST_WAIT_MS, messageBudget, sendTimes } = options
  const onSaveFailed = () => onReport?.(sendTimesNotSaved)
  const own = () =>
    new MessageBudget({ ...(messageBudget || limits.messages), clock, timeoutMs, sendTimes, onSaveFailed })
  return {
    ...{ clock, random, longestWaitMs, onReport, onTraffic, onDelay },
    closing: new Closing(),
    // The message budget and the time for a click follow the clock; connections do not.
    elapsed: elapsedOf(clock),
    answers: new ClickAnswers(clock),
    budget: messageBudget === false ? undefined : (options.limitStore ?? own()),
    counts: { requests: 0, retries: 0, rateLimited: 0, sent: 0 },
    date: undefined,
    places: undefined,
    reportWaiting: waitingReports(clock, onReport),
  }
}

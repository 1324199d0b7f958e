import type { Clock } from '@botwright/clock'
import { durationWords } from '../../../author/time/duration.ts'
import { PersonError } from '../../../author/texts/person-error.ts'
import { inEnglish, phrase } from '../../../author/texts/phrase.ts'
import type { Words } from '../../../author/texts/words.ts'

/** Why a run is cancelled. Plain data: it is recorded. */
export interface Cancellation {
  /** For the log and the list of runs, in English. */
  reason: string
  /** For the user of the run. */
  words: Words
}

/** How long a cancelled run waits for the author's work in a step. */
const STEP_GRACE_MS = 10_000

/** A cancellation from outside, for a reason in English. */
export const cancelledFor = (reason: string): Cancellation => ({ reason, words: phrase('run.cancelled') })

/** The end of the `timeout` of a run. */
export function timedOut(ms: number): Cancellation {
  const words = phrase('run.timed_out', { time: durationWords(ms) })
  return { reason: inEnglish(words), words }
}

/** The error that a handler gets where it waits. */
export const cancelledError = ({ words }: Cancellation): PersonError => new PersonError('ERR_RUN_CANCELLED', words)

interface Steps {
  readonly steps: number
  readonly isStopped: boolean
  abandon(last: number): void
}

/** Ends the steps that work now after some time, and then those that clean up after them. */
export function limitSteps(run: Steps, host: { clock: Clock; waiting: { readonly closed: boolean } }): void {
  const last = run.steps
  host.clock.after(STEP_GRACE_MS, () => {
    run.abandon(last)
    if (!run.isStopped && !host.waiting.closed) limitSteps(run, host)
  })
}

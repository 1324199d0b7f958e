import { AssertionError } from 'node:assert'
import { isDeepStrictEqual } from 'node:util'
import { BotwrightError } from '@botwright/protocol/facts'
import { difference } from './people/transcript.ts'

/** Which of the possible plays take place. */
export interface PlayOptions {
  /** The number of disturbed plays, spread evenly over the conversation. Default: all. */
  sample?: number
}

/** A disturbance of one play of a conversation. */
export interface Disturbance {
  /** `with a crash before step 3 (step "book", commands/leave.ts:12)`, once it has happened. */
  words: string | undefined
}

/** Evenly spread ones: with disturbances that are ordered by their kind, some of each kind. */
function sampled<T>(all: readonly T[], sample: number): readonly T[] {
  if (!(sample >= 1)) throw new BotwrightError('ERR_INVALID_REQUEST', 'sample: must be at least 1')
  if (sample >= all.length) return all
  const count = Math.floor(sample)
  return Array.from({ length: count }, (_, i) => all[Math.floor(((i + 0.5) * all.length) / count)]!)
}

/**
 * Plays a conversation with each disturbance, or with a sample of them. Returns the number of plays whose disturbance has happened, and one more for
 * the undisturbed one, whose lines are `expected`. Throws if a play fails or differs from it. `of`: the size of one play, for the error: `23 steps`.
 */
export async function playAll<D extends Disturbance>(
  played: (disturbance: D) => Promise<string[]>,
  options: { expected: readonly string[]; disturbances: readonly D[]; of: string; sample: number | undefined },
): Promise<number> {
  const { expected, of, sample = Infinity } = options
  const disturbances = sampled(options.disturbances, sample)
  const most = disturbances.length + 1
  let plays = 1
  for (const [i, disturbance] of disturbances.entries()) {
    const place = () => `play ${i + 2} of ${most} (${of}), ${disturbance.words ?? 'undisturbed'}`
    let actual: string[]
    try {
      actual = await played(disturbance)
    } catch (error) {
      throw new Error(`${place()}: ${(error as Error).message}`, { cause: error })
    }
    if (disturbance.words !== undefined) plays++
    if (isDeepStrictEqual(actual, expected)) continue
    const message = `${place()}: the result differs: ${difference(actual, expected)}`
    throw new AssertionError({ message, actual, expected, operator: 'deepStrictEqual' })
  }
  return plays
}

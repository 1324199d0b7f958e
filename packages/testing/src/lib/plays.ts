import { AssertionError } from 'node:assert'
import { isDeepStrictEqual } from 'node:util'
import { difference } from './transcript.ts'

/** A disturbance of one play of a conversation. */
export interface Disturbance {
  /** `with a crash before step 3 (step "book", commands/leave.ts:12)`, once it has happened. */
  words: string | undefined
}

/**
 * Plays a conversation with each disturbance. Returns the number of plays whose disturbance has happened, and one more for the undisturbed one, whose lines are `expected`. Throws if a
 * play fails or differs from it. `of`: the size of one play, for the error: `23 steps`.
 */
export async function playAll<D extends Disturbance>(
  played: (disturbance: D) => Promise<string[]>,
  { expected, disturbances, of }: { expected: readonly string[]; disturbances: readonly D[]; of: string },
): Promise<number> {
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

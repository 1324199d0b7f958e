import type { EndpointName } from '@botwright/protocol'
import type { FaultOptions } from './faults.ts'
import { type Disturbance, playAll, type PlayOptions } from './plays.ts'

/** How a call fails. */
const ways = [
  { fault: { then: 'stall' }, words: 'has taken effect, but its answer never comes' },
  { fault: { then: 'cut' }, words: 'has taken effect, but the connection breaks' },
  { fault: { then: 'close' }, words: 'has no effect, because the connection breaks' },
  { fault: { status: 500 }, words: 'has no effect, and is answered with 500' },
] as const

/** A call that fails. */
interface Place {
  endpoint: EndpointName
  /** How many calls of this endpoint come before it. */
  skip: number
  /** Its number among all calls. */
  number: number
  way: (typeof ways)[number]
}

/** The time that passes at once, on the test's clock: a call without an answer ends after 15 s. */
export const RECOVERY_STEP_MS = 5000
/** How long to wait for the bot after each of them, in real milliseconds. Later ones are for slow machines. */
export const recoverySteps: readonly number[] = [20, 20, 20, 20, 50, 100, 200, 500, 1000, 1000, 1000, 1000]
/** More than a bot needs to recover, on the test's clock. */
export const RECOVERY_MS = recoverySteps.length * RECOVERY_STEP_MS

/** The calls of one play, one of which may fail. */
export class FailingCall implements Disturbance {
  words: string | undefined
  /** The endpoints of the calls so far. */
  readonly calls: EndpointName[] = []
  readonly #place: Place | undefined
  #before = 0

  /** Without a place, no call fails. */
  constructor(place?: Place) {
    this.#place = place
  }

  /** The fault to set on the service. */
  get fault(): FaultOptions | undefined {
    return this.#place && { endpoint: this.#place.endpoint, skip: this.#place.skip, ...this.#place.way.fault }
  }

  /** Called with each call. Returns whether it is the one that fails. */
  fails(endpoint: EndpointName): boolean {
    this.calls.push(endpoint)
    if (!this.#place || endpoint !== this.#place.endpoint || this.#before++ !== this.#place.skip) return false
    const { way, number } = this.#place
    this.words = `in which call ${number} (${endpoint}) ${way.words}`
    return true
  }
}

/** The result of `chat.failEveryCall`. */
export interface FailedCalls {
  /** How many calls the bot makes in one play. */
  calls: number
  /** How often the conversation was played: once undisturbed, and four times for each call. */
  plays: number
}

/** Plays a conversation undisturbed, and with each call failing in each way. Throws if a play differs. */
export async function failEverywhere(
  played: (call: FailingCall) => Promise<string[]>,
  { sample }: PlayOptions,
): Promise<FailedCalls> {
  const undisturbed = new FailingCall()
  const expected = await played(undisturbed)
  const { calls } = undisturbed
  const places = calls.map((endpoint, i) => {
    const skip = calls.slice(0, i).filter((each) => each === endpoint).length
    return { endpoint, skip, number: i + 1 }
  })
  const disturbances = ways.flatMap((way) => places.map((place) => new FailingCall({ ...place, way })))
  return {
    calls: calls.length,
    plays: await playAll(played, { expected, disturbances, of: `${calls.length} calls`, sample }),
  }
}

import type { SeededRandom } from '@botwright/clock/simulated'
import type { StateStore } from '@botwright/framework'
import { BotwrightError } from '@botwright/protocol/facts'
import type { SimProcess } from '../sim-host.ts'
import type { Place, Places } from './places.ts'
import { nameOfWrite } from './state-keys.ts'

/** The decision about a write of the bot. */
export type WriteFate = 'ok' | 'fails' | 'kill_before' | 'kill_after'

/** A write of the author's code. */
export interface OwnWrite {
  /** Of the state, or of the task that is scheduled. */
  name: string
  /** The line that writes. */
  place: Place | undefined
}

interface Options {
  process: SimProcess
  random: SeededRandom
  places: Places
  /** Called for each write of the author's code. */
  fateOf: (write: OwnWrite) => WriteFate
  kill: () => void
}

const FRAMES = 50
const placesOfErrors = new WeakMap<object, Place>()

/** The line whose write has failed with this error, or with one of its causes. */
export function placeOfError(error: unknown): Place | undefined {
  for (let one = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth++) {
    const place = placesOfErrors.get(one)
    if (place) return place
  }
  return undefined
}

/** The store as one process of the bot sees it. It never answers again once the process is killed. */
export function storeOf(base: StateStore, { process, random, places, fateOf, kill }: Options): StateStore {
  const placeNow = (): Place | undefined => {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = FRAMES
    const place = places.ofStack(new Error().stack ?? '')
    Error.stackTraceLimit = stackTraceLimit
    return place
  }
  const never = <T>() => new Promise<T>(() => {})
  /** A database takes a moment, so that two handlers can meet between a read and a write. */
  const wait = () => new Promise<void>((resolve) => void process.after(1 + random.int(3), resolve))
  const read = async <T>(work: () => Promise<T>): Promise<T> => {
    await wait()
    return process.alive ? work() : never()
  }
  const write = async <T>(name: string | undefined, work: () => Promise<T>): Promise<T> => {
    if (!process.alive) return never()
    const place = name === undefined ? undefined : placeNow()
    const fate = name === undefined ? 'ok' : fateOf({ name, place })
    await wait()
    if (!process.alive) return never()
    if (fate === 'fails') {
      const error = new BotwrightError('ERR_STATE', 'injected: the value could not be stored')
      if (place) placesOfErrors.set(error, place)
      throw error
    }
    if (fate === 'kill_before') {
      kill()
      return never()
    }
    const result = await work()
    if (fate === 'kill_after') kill()
    return process.alive ? result : never()
  }
  return {
    get: (key) => read(() => base.get(key)),
    list: (prefix, options) => read(() => base.list(prefix, options)),
    set: (key, value, options) => write(nameOfWrite(key, value), () => base.set(key, value, options)),
    delete: (key, options) => write(nameOfWrite(key, undefined), () => base.delete(key, options)),
  }
}

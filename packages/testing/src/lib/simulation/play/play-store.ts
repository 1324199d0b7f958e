import type { SeededRandom } from '@botwright/clock/simulated'
import type { StateStore } from '@botwright/framework'
import { BotwrightError } from '@botwright/protocol/facts'
import type { SimProcess } from '../sim-host.ts'

/** The decision about a write of the bot. */
export type WriteFate = 'ok' | 'fails' | 'kill_before' | 'kill_after'

interface Options {
  process: SimProcess
  random: SeededRandom
  /** Called for each write of the author's code, with the stack of the place that writes. */
  fateOf: (write: { key: string; isOwn: boolean; stack: string }) => WriteFate
  kill: () => void
}

/** Keys of states: what else is stored belongs to the framework. */
const ownKey = /^(?:.+\/)?state:/
const FRAMES = 25

/** The store as one process of the bot sees it. It never answers again once the process is killed. */
export function storeOf(base: StateStore, { process, random, fateOf, kill }: Options): StateStore {
  const never = <T>() => new Promise<T>(() => {})
  /** A database takes a moment, so that two handlers can meet between a read and a write. */
  const wait = () => new Promise<void>((resolve) => void process.after(1 + random.int(3), resolve))
  const read = async <T>(work: () => Promise<T>): Promise<T> => {
    await wait()
    return process.alive ? work() : never()
  }
  const write = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    if (!process.alive) return never()
    const isOwn = ownKey.test(key)
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = FRAMES
    const stack = isOwn ? (new Error().stack ?? '') : ''
    Error.stackTraceLimit = stackTraceLimit
    const fate = fateOf({ key, isOwn, stack })
    await wait()
    if (!process.alive) return never()
    if (fate === 'fails') throw new BotwrightError('ERR_STATE', 'injected: the value could not be stored')
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
    set: (key, value, options) => write(key, () => base.set(key, value, options)),
    delete: (key, options) => write(key, () => base.delete(key, options)),
  }
}

import type { SeededRandom } from '@botwright/clock/simulated'
import type { StateStore } from '@botwright/framework'
import type { SimProcess } from './sim-host.ts'

/**
 * A store whose requests and responses take a moment each, as to another thread or a database elsewhere: other code runs meanwhile. It never
 * responds once the process has ended. `mostMs`: the longest moment.
 */
export function slowStore(
  base: StateStore,
  { process, random, mostMs }: { process: SimProcess; random: SeededRandom; mostMs: number },
): StateStore {
  const moment = () => new Promise<void>((resolve) => void process.after(random.int(mostMs + 1), resolve))
  const slow = async <T>(work: () => Promise<T>): Promise<T> => {
    await moment()
    try {
      return await work()
    } finally {
      await moment()
    }
  }
  return {
    get: (key) => slow(() => base.get(key)),
    list: (prefix, options) => slow(() => base.list(prefix, options)),
    set: (key, value, options) => slow(() => base.set(key, value, options)),
    delete: (key, options) => slow(() => base.delete(key, options)),
  }
}

import type { SeededRandom } from '@botwright/clock/simulated'
import type { StateStore } from '@botwright/framework'
import { BotwrightError } from '@botwright/protocol/facts'
import type { SimProcess } from '../sim-host.ts'

/** The fate of a request to the store. `fails_after`: it is done, but its response is lost. */
export type StoreFate = 'ok' | 'fails' | 'fails_after' | 'kill_before' | 'kill_after' | { slowMs: number }

interface Options {
  process: SimProcess
  random: SeededRandom
  fateOf: (use: 'read' | 'write', key: string) => StoreFate
  /** Ends the instance. */
  kill: () => void
}

const LATENCY_MS = 8

const failed = (fact: string) => new BotwrightError('ERR_STATE', `injected: ${fact}`)

/** The store as one instance sees it. It never answers again once the instance has ended. */
export function functionStore(base: StateStore, { process, random, fateOf, kill }: Options): StateStore {
  const { timeline } = process.host.world
  const never = <T>() => new Promise<T>(() => {})
  const wait = (ms: number) => new Promise<void>((resolve) => void timeline.after(ms, resolve))
  const use = async <T>(kind: 'read' | 'write', key: string, work: () => Promise<T>): Promise<T> => {
    if (!process.alive) return never()
    const fate = fateOf(kind, key)
    // It is under way: from here on, the store may do it although its instance has ended.
    await wait(1 + random.int(LATENCY_MS) + (typeof fate === 'object' ? random.int(fate.slowMs) : 0))
    if (fate === 'kill_before') kill()
    if (!process.alive && (fate === 'kill_before' || kind === 'read')) return never()
    if (fate === 'fails') throw failed('no connection to the store')
    const result = await work()
    if (fate === 'kill_after') kill()
    await wait(1 + random.int(LATENCY_MS) + (typeof fate === 'object' ? random.int(fate.slowMs) : 0))
    if (!process.alive) return never()
    if (fate === 'fails_after') throw failed('the response of the store is lost')
    return result
  }
  return {
    get: (key) => use('read', key, () => base.get(key)),
    list: (prefix, options) => use('read', prefix, () => base.list(prefix, options)),
    set: (key, value, options) => use('write', key, () => base.set(key, value, options)),
    delete: (key, options) => use('write', key, () => base.delete(key, options)),
  }
}

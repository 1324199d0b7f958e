import { AsyncLocalStorage } from 'node:async_hooks'
import type { StateStore } from '../../author/ports.ts'

/**
 * The store of the durable run whose handler is running: the additions of plugins read and write in its steps. Entered only by bots with
 * such additions, because it slows down every await.
 */
export const storeOfRun = new AsyncLocalStorage<StateStore | undefined>()

/** Does work that is not part of the running handler, or is one step of it. */
export const outsideRun = <T>(work: () => T): T =>
  storeOfRun.getStore() === undefined ? work() : storeOfRun.run(undefined, work)

import { Worker } from 'node:worker_threads'
import type { WorkerData } from '../../link/messages.ts'

/** A thread that loads the runtime, and the memory in which it notes what it runs. */
export interface BareWorker {
  worker: Worker
  /** The id of the event whose handler holds the thread; 0 when none does. */
  current: Float64Array
}

/** Outside the bundle (tests and soaks) a worker runs the bundle; from the sources, without the flags that resolve to sources. */
const isBundled = !/\/bare-worker\.[jt]s$/.test(import.meta.url)
const fromSources = import.meta.url.endsWith('.ts')
const entryUrl = new URL(isBundled ? './worker-main.js' : '../../../dist/joined/worker-main.js', import.meta.url)

/** Starts a thread that no code runs in yet. */
export function startWorker(): BareWorker {
  const current = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)
  const worker = new Worker(entryUrl, {
    workerData: { current } satisfies WorkerData,
    name: 'bot',
    ...(fromSources && { execArgv: [] }),
  })
  // The supervisor decides how long the process lives, not its workers.
  worker.unref()
  return { worker, current: new Float64Array(current) }
}

import { Worker } from 'node:worker_threads'
import { threadWide } from '../../link/thread-wide.ts'
import type { WorkerData } from '../../link/messages.ts'

/** A thread that loads the runtime, and the memory in which it notes what it runs. */
export interface BareWorker {
  worker: Worker
  /** The id of the event whose handler holds the thread; 0 when none does. */
  current: Float64Array
}

/** From the sources (tests) a worker runs the build, with none of the flags that lead to sources. */
const fromSources = import.meta.url.endsWith('.ts')
const entryUrl = new URL(fromSources ? '../../../dist/joined/worker-main.js' : './worker-main.js', import.meta.url)

function spawn(spare: boolean): BareWorker {
  const current = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)
  const worker = new Worker(entryUrl, {
    workerData: { current, spare } satisfies WorkerData,
    name: 'bot',
    ...(fromSources && { execArgv: [] }),
  })
  // The supervisor decides how long the process lives, not its workers.
  worker.unref()
  return { worker, current: new Float64Array(current) }
}

/** `framework start` is loaded as a second file, with a copy of this module. */
const early = threadWide('early-worker', (): { worker?: BareWorker | undefined } => ({}))

/** Starts the first thread before the supervisor is loaded: the two load side by side. */
export function spawnEarly(): void {
  early.worker = spawn(false)
}

/** A thread that nobody has yet; one that is a `spare` loads what a bot's files import while it waits for them. */
export function takeWorker(spare: boolean): BareWorker {
  const taken = early.worker ?? spawn(spare)
  early.worker = undefined
  return taken
}

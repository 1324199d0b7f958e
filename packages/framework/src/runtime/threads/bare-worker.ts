import { Worker } from 'node:worker_threads'
import { pipeOutput, type ThreadIo } from '../../link/thread-io.ts'
import type { WorkerData } from '../../link/messages.ts'

/** A thread that loads only the runtime, with memory shared with the supervisor. */
export interface BareWorker {
  worker: Worker
  /** The id and the era of the event whose handler occupies the thread; 0 if none does. Then how far its clock is ahead of the host's. */
  current: Float64Array
  /** Why it ended before it had the bot's code. */
  error?: Error
}

/** Workers always run the bundle. A process that runs from the sources (tests, soaks) does not pass on its flags. */
const isBundled = !/\/bare-worker\.[jt]s$/.test(import.meta.url)
const fromSources = import.meta.url.endsWith('.ts')
const entryUrl = new URL(isBundled ? './worker-main.js' : '../../../dist/joined/worker-main.js', import.meta.url)

/** Starts a thread without the bot's code. `movable`: its clock can be moved. `io`: default: that of the process. */
export function startWorker({
  movable = false,
  io,
}: { movable?: boolean; io?: ThreadIo | undefined } = {}): BareWorker {
  const current = new SharedArrayBuffer(3 * Float64Array.BYTES_PER_ELEMENT)
  const worker = new Worker(entryUrl, {
    workerData: { current, movable } satisfies WorkerData,
    name: 'bot',
    ...(fromSources && { execArgv: [] }),
    ...(io && { env: io.env, stdout: true, stderr: true }),
  })
  if (io) pipeOutput(worker, io)
  // Only the supervisor keeps the process alive.
  worker.unref()
  const bare: BareWorker = { worker, current: new Float64Array(current) }
  // Without a listener, the error would end the process.
  worker.on('error', (error: Error) => (bare.error = error))
  return bare
}

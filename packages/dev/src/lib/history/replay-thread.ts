import { Worker } from 'node:worker_threads'
import type { RecordedBy, RecordedEvent, ReplayedEvent } from '@botwright/framework/replay'
import { pipeOutput, type ThreadIo } from '@botwright/framework/start'

/** The input of `replay-worker.ts`. */
export interface ReplayJob {
  root: string
  /** The folder of the build. */
  build: string
  events: readonly RecordedEvent[]
  recordedBy: RecordedBy
  stateDir: string
  /** Sends nothing. Reads come from this service, if there is one. */
  dry: { service: { baseUrl: string; token: string } | undefined } | undefined
}

/** A message of `replay-worker.ts`. */
export type ReplayMessage =
  | { kind: 'started' }
  | { kind: 'log'; level: 'debug' | 'info' | 'warn' | 'error'; text: string }
  | { kind: 'unreachable' }
  | { kind: 'replayed'; replayed: ReplayedEvent }
  | { kind: 'failed'; error: { name: string; message: string; stack?: string; code?: unknown } }
  | { kind: 'done' }

const entryUrl = import.meta.url.endsWith('.ts')
  ? new URL('../../../dist/lib/history/replay-worker.js', import.meta.url)
  : new URL('./replay-worker.js', import.meta.url)

/**
 * Runs recorded events through a bot's code in a thread of its own, so that its output is not part of the result and the signal can stop
 * it at any time. Yields the messages of the thread. Rejects with the errors of the code.
 */
export async function* replayInThread(
  job: ReplayJob,
  io: ThreadIo,
  signal: AbortSignal,
): AsyncGenerator<Exclude<ReplayMessage, { kind: 'failed' | 'done' }>, void, undefined> {
  const worker = new Worker(entryUrl, { workerData: job, env: io.env, stdout: true, stderr: true })
  pipeOutput(worker, { stdout: io.stderr, stderr: io.stderr })
  const messages: ReplayMessage[] = []
  let wake = (): void => {}
  const receive = (message: ReplayMessage): void => {
    messages.push(message)
    wake()
  }
  const fail = (error: Error): void => receive({ kind: 'failed', error })
  worker.on('message', receive)
  worker.on('error', fail)
  worker.on('exit', (code) => fail(new Error(`the code of the bot ended the process with code ${code}`)))
  const stop = (): void => wake()
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted) {
      const message = messages.shift()
      if (!message) await new Promise<void>((resolve) => (wake = resolve))
      else if (message.kind === 'failed') throw Object.assign(new Error(message.error.message), message.error)
      else if (message.kind === 'done') return
      else yield message
    }
  } finally {
    signal.removeEventListener('abort', stop)
    await worker.terminate()
  }
}

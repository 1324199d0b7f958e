import { Worker } from 'node:worker_threads'
import type { BotHost, BotSource, LoadedCode } from '@botwright/framework'
import { pipeOutput, type ThreadIo } from '@botwright/framework/start'

interface Described {
  code?: LoadedCode
  error?: { name: string; message: string; stack?: string }
}

/** Time of the processor or of waiting, not of the clock: on a busy machine, the packages of a bot may take longer to load. */
const LOAD_MS = 15_000
const LOOK_MS = 250

const entryUrl = import.meta.url.endsWith('.ts')
  ? new URL('../../../dist/lib/load/describe-worker.js', import.meta.url)
  : new URL('./describe-worker.js', import.meta.url)

/**
 * Loads a bot in a thread of its own and returns its definitions; nothing of it runs afterwards.
 * Rejects with the error of a module, or if the modules have used the processor, or waited, for `limitMs`.
 */
export async function describeBot(
  source: BotSource,
  { plugins, io, limitMs = LOAD_MS }: { plugins: BotHost['plugins']; io: ThreadIo; limitMs?: number },
): Promise<LoadedCode> {
  const before = process.cpuUsage()
  const worker = new Worker(entryUrl, { workerData: { source, plugins }, env: io.env, stdout: true, stderr: true })
  // The output of a bot while it loads is not part of the result.
  pipeOutput(worker, { stdout: io.stderr, stderr: io.stderr })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<LoadedCode>((resolve, reject) => {
      timer = setInterval(() => {
        const { user, system } = process.cpuUsage(before)
        const { idle } = worker.performance.eventLoopUtilization()
        if (Math.max((user + system) / 1000, idle) < limitMs) return
        const why = 'is there an endless loop, or an await that never ends, outside of a handler?'
        reject(new Error(`the bot did not finish loading within ${limitMs / 1000} s: ${why}`))
      }, LOOK_MS)
      worker.once('message', ({ code, error }: Described) => {
        if (code) resolve(code)
        else reject(Object.assign(new Error(error?.message), error))
      })
      worker.once('error', reject)
      worker.once('exit', (code) => {
        reject(new Error(`a module ended the process with code ${code} while it loaded`))
      })
    })
  } finally {
    clearInterval(timer)
    await worker.terminate()
  }
}

import { Worker } from 'node:worker_threads'
import type { BotHost, BotSource, LoadedCode } from '@botwright/framework'
import { pipeOutput, type ThreadIo } from '@botwright/framework/start'

interface Described {
  code?: LoadedCode
  error?: { name: string; message: string; stack?: string }
}

const LOAD_MS = 15_000

const entryUrl = import.meta.url.endsWith('.ts')
  ? new URL('../../../dist/lib/load/describe-worker.js', import.meta.url)
  : new URL('./describe-worker.js', import.meta.url)

/**
 * Loads a bot in a thread of its own and returns its definitions; nothing of it runs afterwards.
 * Rejects with the error of a module, or if a module does not finish loading in time.
 */
export async function describeBot(source: BotSource, plugins: BotHost['plugins'], io: ThreadIo): Promise<LoadedCode> {
  const worker = new Worker(entryUrl, { workerData: { source, plugins }, env: io.env, stdout: true, stderr: true })
  // The output of a bot while it loads is not part of the result.
  pipeOutput(worker, { stdout: io.stderr, stderr: io.stderr })
  try {
    return await new Promise<LoadedCode>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(
          new Error(
            `the bot did not finish loading within ${LOAD_MS / 1000} s: is there an endless loop outside of a handler?`,
          ),
        )
      }, LOAD_MS)
      worker.once('message', ({ code, error }: Described) => {
        clearTimeout(timer)
        if (code) resolve(code)
        else reject(Object.assign(new Error(error?.message), error))
      })
      worker.once('error', (error) => (clearTimeout(timer), reject(error)))
      worker.once(
        'exit',
        (code) => (
          clearTimeout(timer),
          reject(new Error(`a module ended the process with code ${code} while it loaded`))
        ),
      )
    })
  } finally {
    await worker.terminate()
  }
}

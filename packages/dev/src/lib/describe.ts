import { Worker } from 'node:worker_threads'
import type { BotHost, BotSource, LoadedCode } from '@botwright/framework'

interface Described {
  code?: LoadedCode
  error?: { name: string; message: string; stack?: string }
}

const entryUrl = import.meta.url.endsWith('.ts')
  ? new URL('../../dist/lib/describe-worker.js', import.meta.url)
  : new URL('./describe-worker.js', import.meta.url)

/**
 * Loads a bot in a thread of its own and returns its definitions; nothing of it runs afterwards.
 * Rejects with the error of a module, or if a module does not finish loading within `loadMs`.
 */
export async function describeBot(
  source: BotSource,
  plugins?: BotHost['plugins'],
  loadMs = 15_000,
): Promise<LoadedCode> {
  const worker = new Worker(entryUrl, { workerData: { source, plugins } })
  try {
    return await new Promise<LoadedCode>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(
          new Error(
            `the bot did not finish loading within ${loadMs / 1000} s: is there an endless loop outside of a handler?`,
          ),
        )
      }, loadMs)
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

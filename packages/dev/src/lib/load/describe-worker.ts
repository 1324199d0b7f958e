import { parentPort, workerData } from 'node:worker_threads'
import { loadBot, type BotHost, type BotSource } from '@botwright/framework'
import { BotwrightError } from '@botwright/protocol/facts'

// Loads every module of a bot once to read its definitions. Runs nothing: calls are refused, and the log is silent.

const silent = () => {}
const host: BotHost = {
  call: () =>
    Promise.reject(
      new BotwrightError('ERR_DEFINITION', 'a module calls the service while it loads; do that in events/ready.ts'),
    ),
  clock: {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after: (ms, fire) => {
      const timer = setTimeout(fire, ms).unref()
      return { cancel: () => clearTimeout(timer) }
    },
  },
  log: { debug: silent, info: silent, warn: silent, error: silent },
  me: { id: '00000000-0000-0000-0000-000000000000', username: 'build' } as BotHost['me'],
}

try {
  const { source, plugins } = workerData as { source: BotSource; plugins?: BotHost['plugins'] }
  const { definitions, commands } = await loadBot(source, { ...host, ...(plugins && { plugins }) })
  parentPort!.postMessage({ code: { definitions, commands: commands() } })
} catch (error) {
  const { name, message, stack, cause } = error instanceof Error ? error : new Error(String(error))
  const stacks = [stack, cause instanceof Error ? cause.stack : undefined].filter(Boolean).join('\n')
  parentPort!.postMessage({ error: { name, message, stack: stacks } })
}

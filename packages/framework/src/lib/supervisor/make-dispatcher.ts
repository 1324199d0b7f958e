import type { BotDispatcher } from '../dispatcher.ts'
import type { WorkerDispatcherOptions } from '../dispatcher-worker.ts'

type Make = (options: WorkerDispatcherOptions) => BotDispatcher

/** Each dispatcher is loaded only where it is used: the one carries the bot's code into this thread, the other keeps it out. */
export async function dispatcherMaker(kind: 'inline' | 'worker'): Promise<Make> {
  if (kind === 'inline') {
    const { InlineDispatcher } = await import('../dispatcher-inline.ts')
    return (options) => new InlineDispatcher(options)
  }
  const { WorkerDispatcher } = await import('../dispatcher-worker.ts')
  return (options) => new WorkerDispatcher(options)
}

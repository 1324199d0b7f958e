import type { BotDispatcher } from '../../link/dispatcher.ts'
import type { WorkerDispatcherOptions } from '../threads/dispatcher-worker.ts'

type Make = (options: WorkerDispatcherOptions) => BotDispatcher

/** Each dispatcher is loaded only where it is used: the one carries the bot's code into this thread, the other keeps it out. */
export async function dispatcherMaker(kind: 'inline' | 'worker'): Promise<Make> {
  if (kind === 'inline') {
    const { InlineDispatcher } = await import('../../bot/dispatcher-inline.ts')
    return (options) => new InlineDispatcher(options)
  }
  const { WorkerDispatcher } = await import('../threads/dispatcher-worker.ts')
  return (options) => new WorkerDispatcher(options)
}

import { Cleanup } from '../instance/cleanup.ts'
import type { RunningBot, StartBotOptions } from '../ports/running-bot.ts'
import type { BareWorker } from '../threads/bare-worker.ts'
import { run } from './run-bot.ts'
import { connect, identify, load, open } from './stages.ts'

/**
 * Runs a bot: connects, identifies it, opens its stores, loads its code, registers its commands and reads its events.
 * Throws `ERR_UNAUTHORIZED` (invalid token), `ERR_CONFIG`, `ERR_ALREADY_RUNNING` (in another process on this host),
 * and whatever the bot's code throws while it loads. A failure releases everything that earlier stages opened.
 * `threads` are used before new threads are started.
 */
export async function startBot(options: StartBotOptions, threads?: readonly BareWorker[]): Promise<RunningBot> {
  const cleanup = new Cleanup(options.log)
  try {
    const connection = await connect(options, cleanup, threads)
    const identity = await identify(connection)
    const stores = await open(identity)
    const bot = await load(stores)
    return await run(bot)
  } catch (error) {
    await cleanup.run()
    throw error
  }
}

import { Cleanup } from '../instance/cleanup.ts'
import type { RunningBot, StartBotOptions } from '../ports/running-bot.ts'
import type { BareWorker } from '../threads/bare-worker.ts'
import { run } from './run-bot.ts'
import { connect, identify, load, open } from './stages.ts'

/**
 * Runs a bot: connects, asks who it is, opens its stores, loads its code, registers its commands, reads its events.
 * Throws `ERR_UNAUTHORIZED` (the token), `ERR_CONFIG` (what is missing), `ERR_ALREADY_RUNNING` (another process of this machine),
 * and whatever the bot's code throws while it loads. `threads` are used before any other thread is started. Releases everything that the stages have opened when one of them fails.
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

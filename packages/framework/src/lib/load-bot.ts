import { BotwrightError } from '@botwright/protocol'
import type { Bot, BotHost, BotSource } from './ports.ts'

/** Loads the modules of a bot and gives back what runs them. Throws `ERR_DEFINITION` and `ERR_CUSTOM_ID`, naming the file. */
export async function loadBot(source: BotSource, host: BotHost): Promise<Bot> {
  host.log.debug({ root: source.root }, 'loading')
  throw new BotwrightError('ERR_DEFINITION', 'loadBot is being written')
}

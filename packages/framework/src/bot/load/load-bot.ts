import type { BotSource } from '../../link/ports.ts'
import type { Bot, BotHost } from '../host.ts'
import { loadLayered } from './load-layered.ts'
import { openLayers } from './open-layers.ts'

// With `source.definitions` a module waits for its first event or for `loadRest`, unless it is new or `eager`. Errors name every invalid
// file, the fact and the fix.
/** Loads the modules of a bot. Throws `ERR_DEFINITION`, `ERR_CONFLICT` or `ERR_CUSTOM_ID`. */
export async function loadBot(source: BotSource, host: BotHost): Promise<Bot> {
  return loadLayered(source, host, await openLayers(source, host))
}

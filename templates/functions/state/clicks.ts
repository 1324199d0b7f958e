import { state } from '@botwright/framework'

/** The number of clicks in a channel. The store of `bot.config.ts` keeps it. */
export default state({ scope: 'channel', initial: 0 })

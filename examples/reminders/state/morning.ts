import { state } from '@botwright/framework'

/** Whether the bot greets a channel in the morning. */
export default state({ scope: 'channel', initial: false })

import { state } from '@botwright/framework'

/** Whether a channel is greeted in the morning. */
export default state({ scope: 'channel', initial: false })

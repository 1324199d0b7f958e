import { state } from '@botwright/framework'

/** The message with a server's rules: who reacts to it agrees. */
export default state({ scope: 'server', initial: { message_id: '' } })

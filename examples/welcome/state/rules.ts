import { state } from '@botwright/framework'

/** The message with a server's rules; people agree by reacting to it. */
export default state({ scope: 'server', initial: { message_id: '' } })

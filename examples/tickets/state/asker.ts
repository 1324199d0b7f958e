import { state } from '@botwright/framework'

/** The person who opened the ticket of a channel. */
export default state({ scope: 'channel', initial: { user_id: '', name: '' } })

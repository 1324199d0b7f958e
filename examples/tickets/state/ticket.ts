import { state } from '@botwright/framework'

/** The channel of a person's open ticket, where the staff answers. */
export default state({ scope: 'user', initial: { channel_id: '' } })

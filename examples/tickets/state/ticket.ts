import { state } from '@botwright/framework'

/** The open ticket of a person: the channel where staff answers. */
export default state({ scope: 'user', initial: { channel_id: '' } })

import { state } from '@botwright/framework'

/** Of a ticket's channel: whose ticket it is. */
export default state({ scope: 'channel', initial: { user_id: '', name: '' } })

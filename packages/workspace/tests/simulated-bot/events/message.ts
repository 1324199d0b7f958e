import { event } from '@botwright/framework'

/** Shows the order in which messages are handled. */
export default event('message', () => {})

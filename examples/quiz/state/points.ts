import { state } from '@botwright/framework'

/** The points of a member in a server. */
export default state({ scope: 'member', initial: 0 })

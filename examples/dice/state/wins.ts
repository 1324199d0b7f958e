import { state } from '@botwright/framework'

/** The number of duels that a member has won in a server. */
export default state({ scope: 'member', initial: 0 })

import { state } from '@botwright/framework'

/** Duels that somebody has won in a server. */
export default state({ scope: 'member', initial: 0 })

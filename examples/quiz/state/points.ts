import { state } from '@botwright/framework'

/** What somebody has won in a server. */
export default state({ scope: 'member', initial: 0 })

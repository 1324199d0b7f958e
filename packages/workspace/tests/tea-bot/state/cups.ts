import { state } from '@botwright/framework'

/** The number of cups that a person has had in a server. */
export default state({ scope: 'member', initial: 0 })

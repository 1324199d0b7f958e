import { state } from '@botwright/framework'

/** The amount that a person owes the library. */
export default state({ scope: 'user', initial: 0 })

import { state } from '@botwright/framework'

/** The points of a person. */
export default state({ scope: 'user', initial: 0 })

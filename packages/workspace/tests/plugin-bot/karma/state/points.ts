import { state } from '@botwright/framework'

/** The karma of each person. */
export default state({ scope: 'user', initial: 0 })

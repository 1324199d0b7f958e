import { state } from '@botwright/framework'

/** What somebody owes the library. */
export default state({ scope: 'user', initial: 0 })

import { state } from '@botwright/framework'

/** How many cups a person has had in one server. */
export default state({ scope: 'member', initial: 0 })

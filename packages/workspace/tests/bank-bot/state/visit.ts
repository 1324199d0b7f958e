import { state } from '@botwright/framework'

/** When a person was here last, in milliseconds since 1970. */
export default state({ scope: 'user', initial: 0 })

import { state } from '@botwright/framework'

/** The time zone of each person. */
export default state({ scope: 'user', initial: 'UTC' })

import { state } from '@botwright/framework'

/** The name of each posted message, by its id. */
export default state({ per: 'key', initial: '' })

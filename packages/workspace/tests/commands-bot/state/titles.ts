import { state } from '@botwright/framework'

/** The books of the library. */
export default state({ scope: 'bot', initial: ['Dune', 'Emma'] })

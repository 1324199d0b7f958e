import { state } from '@botwright/framework'

/** The notes of a person. */
export default state({ scope: 'user', initial: [] as string[] })

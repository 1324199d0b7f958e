import { middleware, serverOnly } from '@botwright/framework'

/** Points belong to the members of a server. */
export default middleware({ guards: [serverOnly()] })

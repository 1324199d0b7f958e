import { middleware, serverOnly } from '@botwright/framework'

/** Applies to every command in this folder. */
export default middleware({ guards: [serverOnly()] })

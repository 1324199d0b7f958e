import { middleware, serverOnly } from '@botwright/framework'

/** For every command of this folder. */
export default middleware({ guards: [serverOnly()] })

import { hasRole, middleware, serverOnly } from '@botwright/framework'

/** Applies to every command: only moderators may use them. */
export default middleware({ guards: [serverOnly(), hasRole('mods')] })

import { hasRole, middleware, serverOnly } from '@botwright/framework'

/** Around every command: for moderators alone. */
export default middleware({ guards: [serverOnly(), hasRole('mods')] })

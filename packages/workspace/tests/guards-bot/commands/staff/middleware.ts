import { anyOf, hasRole, middleware, ownerOnly } from '@botwright/framework'

/** Every command of this folder, and of those below. */
export default middleware({
  guards: [anyOf([hasRole('Staff'), ownerOnly()], { refusal: 'Only the staff can use this.' })],
})

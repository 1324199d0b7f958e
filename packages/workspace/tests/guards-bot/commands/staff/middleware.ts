import { anyOf, hasRole, middleware, ownerOnly } from '@botwright/framework'

/** Applies to every command in this folder and the folders below. */
export default middleware({
  guards: [anyOf([hasRole('Staff'), ownerOnly()], { refusal: 'Only the staff can use this.' })],
})

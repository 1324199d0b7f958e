import { event } from '@botwright/framework'
import { changeRole } from '../lib/change-role.ts'

export default event('reaction_add', (ctx) => changeRole(ctx, 'give'))

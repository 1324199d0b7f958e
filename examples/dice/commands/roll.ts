import { command, integer } from '@botwright/framework'
import { rolled } from '../buttons/again.ts'

export default command({
  description: 'Rolls dice: /roll, /roll 2, /roll 3 20',
  args: { count: integer({ min: 1, max: 20 }).default(1), sides: integer({ min: 2, max: 100 }).default(6) },
  run: (ctx) => rolled(ctx.user.name, ctx.args),
})

import { randomInt } from 'node:crypto'
import { command, integer } from '@botwright/framework'

export default command({
  description: 'Rolls dice',
  args: { count: integer({ min: 1, max: 10 }).default(1) },
  run: (ctx) => `🎲 ${Array.from({ length: ctx.args.count }, () => randomInt(1, 7)).join(', ')}`,
})

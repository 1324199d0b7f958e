import { command } from '@botwright/framework'
import staff from '../buttons/staff.ts'

export default command({
  description: 'Shows a list with guards',
  run: async (ctx) => ctx.reply(await staff.first(ctx)),
})

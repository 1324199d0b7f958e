import { command } from '@botwright/framework'

export default command({
  description: 'Greets',
  run: (ctx) => String(ctx.env.GREETING),
})

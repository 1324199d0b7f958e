import { command, integer } from '@botwright/framework'
import queue from '../buttons/queue.ts'

export default command({
  description: 'Sets the length of the queue, and shows it',
  args: { length: integer({ min: 0, max: 100 }), width: integer({ min: 0, max: 4000 }).default(0) },
  run: async (ctx) => {
    await ctx.state.bot.set('queue', [ctx.args.length, ctx.args.width])
    return queue.first(ctx)
  },
})

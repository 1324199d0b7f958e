import { header, route } from '@botwright/framework'
import { z } from 'zod'

export default route({
  verify: false,
  id: header('x-order'),
  retry: true,
  body: z.object({ order: z.string() }),
  run: async (ctx) => {
    const facts = { item: `order ${ctx.body.order}`, again: ctx.redelivered, file: 'routes/order.ts' }
    ctx.log.info(facts, 'begins')
    await ctx.state.bot.update(`order ${ctx.body.order}`, (n) => Number(n ?? 0) + 1)
    ctx.log.info(facts, 'ends')
  },
})

import { task } from '@botwright/framework'
import * as z from 'zod'

export default task({
  payload: z.object({ channel: z.string(), text: z.string() }),
  run: async (ctx) => {
    await ctx.send(ctx.payload.channel, `reminder ${ctx.payload.text}`)
  },
})

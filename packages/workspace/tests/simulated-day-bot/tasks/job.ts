import { task } from '@botwright/framework'
import * as z from 'zod'

/** Fails at first, and posts once. */
export default task({
  payload: z.object({ channel: z.string(), text: z.string() }),
  retry: { errors: 5, after: '5s' },
  run: async (ctx) => {
    const { channel: channel_id, text } = ctx.payload
    const tries = await ctx.state.bot.update(`tries ${text}`, (n) => Number(n ?? 0) + 1)
    if (tries === 1) throw new Error(`job ${text} fails at first`)
    await ctx.once('post', async () => void (await ctx.api.messages.create({ channel_id, content: `job ${text}` })))
  },
})

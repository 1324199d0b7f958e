import { header, hmac, route } from '@botwright/framework'
import * as z from 'zod'

/** Posts once for each request with an id. */
export default route({
  verify: hmac({ header: 'x-signature', secret: 'HOOK_SECRET' }),
  body: z.object({ number: z.number(), channel: z.string(), key: z.string(), fails: z.boolean() }),
  id: header('x-delivery'),
  key: ({ body }) => body.key,
  retry: true,
  run: async (ctx) => {
    const { number, channel, fails } = ctx.body
    ctx.log.info({ hook: number, again: ctx.redelivered }, 'hook begins')
    const tries = await ctx.state.bot.update(`hook ${number}`, (n) => Number(n ?? 0) + 1)
    if (fails && tries === 1) throw new Error(`hook ${number} fails at first`)
    await ctx.once('post', async () => void (await ctx.send(channel, `hooked ${number}`)))
    ctx.log.info({ hook: number, late: ctx.signal.aborted }, 'hook ends')
  },
})

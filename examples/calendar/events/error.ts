import { event } from '@botwright/framework'

/** Notifies the owner of the bot of each failure. */
export default event('error', async (ctx) => {
  const user_id = ctx.me.bot.owner_id
  const { file = '?', reference = '–' } = ctx.failure
  const values = { file, reference, message: ctx.error.message }
  await ctx.dm(user_id, ctx.t.in(await ctx.language({ user_id }), 'failed', values))
})

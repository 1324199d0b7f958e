import { event } from '@botwright/framework'

export default event('error', async (ctx) => {
  const { kind, file = 'the bot', line, reference } = ctx.failure
  const place = line === undefined ? file : `${file}:${line}`
  await ctx.dm(ctx.me.bot.owner_id, `${kind} in ${place}: ${ctx.error.message} (${reference ?? 'no reference'})`)
})

import { event } from '@botwright/framework'

export default event('reaction_add', async (ctx) => {
  await ctx.react(ctx.event.emoji)
  return `${ctx.user.name} likes it: ${ctx.event.emoji}`
})

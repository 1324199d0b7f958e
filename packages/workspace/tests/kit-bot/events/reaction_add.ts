import { event } from '@botwright/framework'

export default event('reaction_add', async (ctx) => {
  if (ctx.event.emoji === '❓') await ctx.reply('What is unclear?')
})

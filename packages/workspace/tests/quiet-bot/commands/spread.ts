import { command, rest } from '@botwright/framework'

/** `/spread Lunch is ready`: posts to every text channel. */
export default command({
  description: 'Posts to every channel',
  args: { news: rest({ max: 1000 }) },
  run: async (ctx) => {
    const { channels } = await ctx.api.channels.list({ type: 'text' })
    await ctx.broadcast(channels, `🗞️ ${ctx.args.news}`)
    return `It reaches ${channels.length} channels.`
  },
})

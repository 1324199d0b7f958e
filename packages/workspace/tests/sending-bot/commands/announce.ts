import { command, rest } from '@botwright/framework'

/** `/announce Lunch is ready`: posts to every text channel that the bot can see, at the pace that the message budget allows. */
export default command({
  description: 'Posts to every channel',
  args: { news: rest({ max: 1000 }) },
  run: async (ctx) => {
    const { channels } = await ctx.api.channels.list({ type: 'text' })
    const broadcast = await ctx.broadcast(channels, `📣 ${ctx.args.news}`)
    for await (const { done, total } of broadcast.steps()) await ctx.update(`Posted to ${done} of ${total} channels`)
  },
})

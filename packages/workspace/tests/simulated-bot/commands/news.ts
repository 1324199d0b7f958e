import { command, rest } from '@botwright/framework'

export default command({
  description: 'Posts to every channel',
  args: { text: rest() },
  run: async (ctx) => {
    const { channels } = await ctx.api.channels.list({ type: 'text' })
    await ctx.broadcast(channels, `news ${ctx.args.text}`)
  },
})

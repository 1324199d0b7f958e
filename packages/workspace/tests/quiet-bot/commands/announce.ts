import { command, rest } from '@botwright/framework'

/** `/announce Lunch is ready`: posts now, or when the quiet hours are over. */
export default command({
  description: 'Posts an announcement',
  args: { news: rest({ max: 1000 }) },
  run: async (ctx) => {
    const { held_until } = await ctx.send(ctx.channel_id, `📣 ${ctx.args.news}`)
    return held_until === undefined ? 'Posted.' : `The channel is quiet. I will post it at ${held_until}.`
  },
})

import { command, rest } from '@botwright/framework'

/** Sends a message at most once, which waits for the end of the quiet hours. */
export default command({
  description: 'Posts without a hurry',
  args: { text: rest() },
  run: async (ctx) => {
    const { text } = ctx.args
    const until = await ctx.once(
      'send',
      async () => (await ctx.send(ctx.channel_id, `later ${text}`)).held_until ?? 'now',
    )
    return `accepted ${text} until ${until}`
  },
})

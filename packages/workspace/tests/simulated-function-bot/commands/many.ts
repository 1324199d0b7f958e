import { command, rest } from '@botwright/framework'

export default command({
  description: 'Sends many messages',
  args: { text: rest() },
  run: async (ctx) => {
    for (let i = 1; i <= 12; i++) await ctx.send(ctx.channel_id, `many ${ctx.args.text} ${i}`)
  },
})

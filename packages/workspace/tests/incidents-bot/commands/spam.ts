import { command } from '@botwright/framework'

export default command({
  description: 'Sends too many messages',
  run: async (ctx) => {
    for (let n = 1; n <= 40; n++) await ctx.send(ctx.channel_id, `message ${n}`)
  },
})

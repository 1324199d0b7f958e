import { command, rest } from '@botwright/framework'

export default command({
  description: 'Reminds you later',
  args: { text: rest() },
  run: async (ctx) => {
    const payload = { channel: ctx.channel_id, text: ctx.args.text }
    await ctx.once('remind', () => ctx.schedule('reminder', { in: '30s' }, payload))
  },
})

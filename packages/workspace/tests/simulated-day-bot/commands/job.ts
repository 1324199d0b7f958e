import { command, rest } from '@botwright/framework'

export default command({
  description: 'Starts a job',
  args: { text: rest() },
  run: async (ctx) => {
    const payload = { channel: ctx.channel_id, text: ctx.args.text }
    await ctx.once('schedule', () => ctx.schedule('job', { in: '10s' }, payload))
    return `scheduled ${ctx.args.text}`
  },
})

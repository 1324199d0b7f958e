import { task } from '@botwright/framework'

/** Posts at 23:30 and at 23:45: during quiet hours. */
export default task({
  cron: '30,45 23 * * *',
  timezone: 'Europe/Berlin',
  run: async (ctx) => {
    const { channels } = await ctx.api.channels.list({ type: 'text' })
    await ctx.send(channels[0]!.id, `night of ${ctx.scheduledAt.toISOString().slice(11, 16)}`)
  },
})

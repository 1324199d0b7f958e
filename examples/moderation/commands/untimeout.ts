import { command, user } from '@botwright/framework'
import { log } from '../lib/mod-log.ts'

export default command({
  description: 'Ends a timeout',
  args: { member: user() },
  run: async (ctx) => {
    const { member: user_id } = ctx.args
    await ctx.api.moderation.timeout({ server_id: ctx.server_id!, user_id, minutes: 0 })
    await log(ctx, 'Timeout ended', { user_id, reason: '' })
    return `<@${user_id}> can post again.`
  },
})

import { command, duration, durationText, rest, user } from '@botwright/framework'
import { log } from '../lib/mod-log.ts'

export default command({
  description: 'Times out a member: /timeout @bob 10m spam',
  args: { member: user(), time: duration({ min: '1m', max: '4w' }), reason: rest().default('') },
  run: async (ctx) => {
    const { member: user_id, time, reason } = ctx.args
    const minutes = Math.ceil(time / 60_000)
    await ctx.api.moderation.timeout({ server_id: ctx.server_id!, user_id, minutes, reason })
    await log(ctx, `Timeout of ${durationText(time)}`, { user_id, reason })
    return `<@${user_id}> is timed out for ${durationText(time)}.`
  },
})

import { command, rest, user } from '@botwright/framework'
import { log } from '../lib/mod-log.ts'
import warnings from '../state/warnings.ts'

const MOST = 3
const MINUTES = 60

export default command({
  description: `Warns a member; warning ${MOST} is a timeout of one hour`,
  args: { member: user(), reason: rest() },
  run: async (ctx) => {
    const { member: user_id, reason } = ctx.args
    const all = await ctx.once('warn', () => warnings.of(ctx, { user_id }).update((before) => [...before, reason]))
    await log(ctx, `Warning ${all.length} of ${MOST}`, { user_id, reason })
    if (all.length < MOST) return `<@${user_id}>, this is warning ${all.length} of ${MOST}: ${reason}`
    await ctx.api.moderation.timeout({ server_id: ctx.server_id!, user_id, minutes: MINUTES, reason: all.join('; ') })
    await warnings.of(ctx, { user_id }).delete()
    return `<@${user_id}> has ${MOST} warnings and is timed out for one hour.`
  },
})

import { botHasPermission, command, hasPermission, user } from '@botwright/framework'

export default command({
  description: 'Times a member out for ten minutes',
  args: { whom: user() },
  guards: [hasPermission('Timeout members'), botHasPermission('Timeout members')],
  async run(ctx) {
    await ctx.api.moderation.timeout({ server_id: ctx.server_id, user_id: ctx.args.whom, minutes: 10 })
    return `<@${ctx.args.whom}> is quiet for ten minutes.`
  },
})

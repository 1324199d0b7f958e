import { event } from '@botwright/framework'
import { announce } from '../lib/announce.ts'

export default event('member_leave', (ctx) =>
  announce(ctx, `${ctx.user.name} has left ${ctx.event.member_count} of us.`),
)

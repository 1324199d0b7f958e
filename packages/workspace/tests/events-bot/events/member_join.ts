import { event } from '@botwright/framework'
import { announce } from '../lib/announce.ts'

export default event('member_join', (ctx) =>
  announce(ctx, `Welcome, <@${ctx.event.user_id}>! We are ${ctx.event.member_count} now.`),
)

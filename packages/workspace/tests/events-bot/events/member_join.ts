import { event } from '@botwright/framework'
import { tell } from '../lib/tell.ts'

export default event('member_join', (ctx) =>
  tell(ctx, `Welcome, <@${ctx.event.user_id}>! We are ${ctx.event.member_count} now.`),
)

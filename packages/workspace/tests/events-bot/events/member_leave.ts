import { event } from '@botwright/framework'
import { tell } from '../lib/tell.ts'

export default event('member_leave', (ctx) => tell(ctx, `${ctx.user.name} has left ${ctx.event.member_count} of us.`))

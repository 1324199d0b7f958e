import { event } from '@botwright/framework'
import { tell } from '../lib/tell.ts'

export default event('voice_leave', (ctx) => tell(ctx, `<@${ctx.user.id}> left <#${ctx.channel_id ?? ''}>`))

import { event } from '@botwright/framework'
import { announce } from '../lib/announce.ts'

export default event('voice_leave', (ctx) => announce(ctx, `<@${ctx.user.id}> left <#${ctx.channel_id ?? ''}>`))

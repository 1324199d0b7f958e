import { event } from '@botwright/framework'
import { tell } from '../lib/tell.ts'

/** Voice events tell ids only. */
export default event('voice_join', (ctx) => tell(ctx, `<@${ctx.event.user_id}> sits in <#${ctx.event.channel_id}>`))

import { event } from '@botwright/framework'
import { announce } from '../lib/announce.ts'

/** Voice events contain only ids. */
export default event('voice_join', (ctx) => announce(ctx, `<@${ctx.event.user_id}> joined <#${ctx.event.channel_id}>`))

import { event } from '@botwright/framework'
import { tell } from '../lib/tell.ts'

/** Types that this version does not know: the service may have learned something new. */
export default event('unknown', (ctx) => tell(ctx, `Something new, ${ctx.envelope.type}: ${JSON.stringify(ctx.event)}`))

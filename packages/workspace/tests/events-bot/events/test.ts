import { event } from '@botwright/framework'
import { tell } from '../lib/tell.ts'

/** "Send test event" in the developer settings. */
export default event('test', (ctx) => tell(ctx, `Test event ${ctx.envelope.id} arrived`))

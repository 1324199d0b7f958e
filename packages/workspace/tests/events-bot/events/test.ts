import { event } from '@botwright/framework'
import { announce } from '../lib/announce.ts'

/** "Send test event" in the developer settings. */
export default event('test', (ctx) => announce(ctx, `Test event ${ctx.envelope.id} arrived`))

import { event } from '@botwright/framework'
import { announce } from '../lib/announce.ts'

/** Event types that the service added after this version of Botwright. */
export default event('unknown', (ctx) => announce(ctx, `New event ${ctx.envelope.type}: ${JSON.stringify(ctx.event)}`))

import { event } from '@botwright/framework'

/** Handles "Send test event" of the Developer screen: shows that the webhook reaches the bot. */
export default event('test', (ctx) => {
  ctx.log.info({ event: ctx.envelope.id }, 'received the test event')
})

import { event } from '@botwright/framework'

/** "Send test event" of the Developer screen: whether the webhook reaches the bot. */
export default event('test', (ctx) => {
  ctx.log.info({ event: ctx.envelope.id }, 'the test event has arrived')
})

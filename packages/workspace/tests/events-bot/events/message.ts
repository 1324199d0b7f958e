import { event } from '@botwright/framework'

/** Every message that is not a command. */
export default event('message', (ctx) => {
  if (ctx.content.startsWith('hello')) return `Hello ${ctx.author.name} of #${ctx.event.channel_name}!`
  return undefined
})

import { event } from '@botwright/framework'

/** Reacts to thanks, deletes shouting, and ignores all other messages. */
export default event('message', async (ctx) => {
  if (/thank/i.test(ctx.content)) return ctx.react('👍')
  if (ctx.content === 'AAAAAA') await ctx.api.messages.delete({ channel_id: ctx.channel_id, message_id: ctx.event.id })
})

import { button, uuid } from '@botwright/framework'
import { read, show } from '../lib/poll.ts'

export default button({
  params: { author: uuid() },
  run: async (ctx) => {
    if (ctx.params.author !== ctx.user.id) return ctx.ephemeral('Only the person who asked can close this poll.')
    const message = await ctx.api.messages.get({ channel_id: ctx.channel_id, message_id: ctx.event.message_id })
    const poll = read(message.embeds[0])
    if (!poll) return ctx.ephemeral('This message does not contain a poll.')
    return ctx.update(show({ ...poll, closed: true }))
  },
})

import { button, uuid } from '@botwright/framework'
import { read, show } from '../lib/poll.ts'
import { forEveryone, forPerson } from '../lib/texts.ts'
import polls from '../plugin.ts'
import votes from '../state/votes.ts'

export default button({
  params: { author: uuid() },
  run: async (ctx) => {
    const own = await forPerson(ctx)
    if (ctx.params.author !== ctx.user.id) return ctx.ephemeral(own('not_yours'))
    const { channel_id, event } = ctx
    const poll = read(await ctx.api.messages.get({ channel_id, message_id: event.message_id }))
    if (!poll) return ctx.ephemeral(own('over'))
    const all = await votes.at(ctx, event.message_id).get()
    const say = await forEveryone(ctx)
    return ctx.update(show(poll, { votes: all, say, color: polls.options(ctx).color, components: [] }))
  },
})

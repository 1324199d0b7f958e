import { button, integer } from '@botwright/framework'
import { read, show } from '../lib/poll.ts'

export default button({
  params: { choice: integer({ min: 0, max: 9 }) },
  run: async (ctx) => {
    const message = await ctx.api.messages.get({ channel_id: ctx.channel_id, message_id: ctx.event.message_id })
    const poll = read(message.embeds[0])
    const chosen = poll?.choices[ctx.params.choice]
    if (!poll || !chosen || poll.closed) return ctx.ephemeral('This poll is closed.')
    const voter = ctx.user.id
    const before = poll.choices.find((choice) => choice.voters.includes(voter))
    if (before === chosen) return ctx.ephemeral(`You voted for ${chosen.name} already.`)
    if (before) before.voters = before.voters.filter((id) => id !== voter)
    chosen.voters.push(voter)
    await ctx.update(show(poll))
    return ctx.ephemeral(before ? `You changed your vote to ${chosen.name}.` : `You voted for ${chosen.name}.`)
  },
})

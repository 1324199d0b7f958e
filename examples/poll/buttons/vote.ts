import { button, integer, row } from '@botwright/framework'
import type { ActionRow } from '@botwright/protocol'
import { type Poll, read, show } from '../lib/poll.ts'
import close from './close.ts'

const vote = button({
  params: { choice: integer({ min: 0, max: 9 }) },
  run: async (ctx) => {
    const message = await ctx.api.messages.get({ channel_id: ctx.channel_id, message_id: ctx.event.message_id })
    const poll = read(message.embeds[0])
    const chosen = poll?.choices[ctx.params.choice]
    if (!poll || !chosen || poll.closed) return ctx.ephemeral('This poll is closed.')
    const voter = ctx.user.id
    const before = poll.choices.find((choice) => choice.voters.includes(voter))
    if (before === chosen) return ctx.ephemeral(`You already voted for ${chosen.name}.`)
    if (before) before.voters = before.voters.filter((id) => id !== voter)
    chosen.voters.push(voter)
    await ctx.update(show(poll, votingRows(poll)))
    return ctx.ephemeral(before ? `You changed your vote to ${chosen.name}.` : `You voted for ${chosen.name}.`)
  },
})

/** One button per choice, five in a row, and one that closes the poll. */
export function votingRows(poll: Poll): ActionRow[] {
  const buttons = poll.choices.map(({ name }, choice) => vote.button({ choice }, { label: name, style: 'primary' }))
  const rows = [buttons.slice(0, 5), buttons.slice(5)].filter((part) => part.length > 0)
  return [
    ...rows.map((part) => row(...part)),
    row(close.button({ author: poll.authorId }, { label: 'Close', style: 'secondary' })),
  ]
}

export default vote

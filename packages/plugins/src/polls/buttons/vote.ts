import { type ActionRow, button, integer, row } from '@botwright/framework'
import { type Poll, read, show } from '../lib/poll.ts'
import { forEveryone, forPerson, type SayInPoll } from '../lib/texts.ts'
import polls from '../plugin.ts'
import votes from '../state/votes.ts'
import close from './close.ts'

const vote = button({
  params: { choice: integer({ min: 0, max: 9 }) },
  run: async (ctx) => {
    const say = await forPerson(ctx)
    const { channel_id, event } = ctx
    const poll = read(await ctx.api.messages.get({ channel_id, message_id: event.message_id }))
    const choice = poll?.choices[ctx.params.choice]
    if (!poll || choice === undefined) return ctx.ephemeral(say('over'))
    const { before, all } = await votes.at(ctx, event.message_id).updateWith((kept) => {
      const value = { ...kept, [ctx.user.id]: ctx.params.choice }
      return { value, result: { before: kept[ctx.user.id], all: value } }
    })
    // The first run of a click may have ended between the vote and the message.
    if (before === ctx.params.choice && !ctx.redelivered) return ctx.ephemeral(say('same', { choice }))
    const toAll = await forEveryone(ctx)
    const { color } = polls.options(ctx)
    await ctx.update(show(poll, { votes: all, say: toAll, color, components: votingRows(poll, toAll) }))
    return ctx.ephemeral(say(before === undefined ? 'voted' : 'changed', { choice }))
  },
})

/** One button per choice, five in a row, and one that closes the poll. */
export function votingRows(poll: Poll, say: SayInPoll): ActionRow[] {
  const buttons = poll.choices.map((label, choice) => vote.button({ choice }, { label, style: 'primary' }))
  const rows = [buttons.slice(0, 5), buttons.slice(5)].filter((part) => part.length > 0)
  return [
    ...rows.map((part) => row(...part)),
    row(close.button({ author: poll.authorId }, { label: say('close'), style: 'secondary' })),
  ]
}

export default vote

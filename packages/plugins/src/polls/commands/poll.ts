import { command, list, text } from '@botwright/framework'
import { votingRows } from '../buttons/vote.ts'
import { type Poll, show } from '../lib/poll.ts'
import { forEveryone } from '../lib/texts.ts'
import polls from '../plugin.ts'

export default command({
  description: 'Starts a poll: /poll "question" choice choice …',
  args: { question: text({ min: 1, max: 200 }), choices: list(text({ min: 1, max: 80 }), { min: 2, max: 10 }) },
  run: async (ctx) => {
    const { question, choices } = ctx.args
    const say = await forEveryone(ctx)
    const poll: Poll = { question, authorId: ctx.user.id, choices }
    return show(poll, { votes: {}, say, color: polls.options(ctx).color, components: votingRows(poll, say) })
  },
})

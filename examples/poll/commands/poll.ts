import { command, list, text } from '@botwright/framework'
import { votingRows } from '../buttons/vote.ts'
import { type Poll, show } from '../lib/poll.ts'

export default command({
  description: 'Starts a poll: /poll "question" choice choice …',
  args: { question: text({ max: 200 }), choices: list(text({ min: 1, max: 80 }), { min: 2, max: 10 }) },
  run: (ctx) => {
    const { question, choices } = ctx.args
    const poll: Poll = {
      question,
      authorId: ctx.user.id,
      closed: false,
      choices: choices.map((name) => ({ name, voters: [] })),
    }
    return show(poll, votingRows(poll))
  },
})

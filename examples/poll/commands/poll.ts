import { command, list, text } from '@botwright/framework'
import { show } from '../lib/poll.ts'

export default command({
  description: 'Starts a poll: /poll "question" choice choice …',
  args: { question: text({ max: 200 }), choices: list(text({ max: 80 }), { min: 2, max: 10 }) },
  run: (ctx) =>
    show({
      question: ctx.args.question,
      authorId: ctx.user.id,
      closed: false,
      choices: ctx.args.choices.map((name) => ({ name, voters: [] })),
    }),
})

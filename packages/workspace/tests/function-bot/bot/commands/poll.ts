import { command, rest, row } from '@botwright/framework'
import vote from '../buttons/vote.ts'

export default command({
  description: 'Starts a poll',
  args: { question: rest() },
  run: (ctx) =>
    ctx.reply({ content: ctx.args.question, components: [row(vote.button({ label: 'Yes', style: 'primary' }))] }),
})

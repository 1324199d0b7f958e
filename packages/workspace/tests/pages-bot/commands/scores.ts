import { command, rest } from '@botwright/framework'
import scores from '../buttons/scores.ts'

export default command({
  description: 'Shows the scores of a season',
  args: { season: rest() },
  run: (ctx) => scores.first(ctx, { season: ctx.args.season }),
})

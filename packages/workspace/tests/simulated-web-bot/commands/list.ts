import { command, rest } from '@botwright/framework'
import list from '../buttons/list.ts'

export default command({
  description: 'Shows a list with pages',
  args: { text: rest() },
  run: (ctx) => list.first(ctx, { text: ctx.args.text.slice(0, 20) }),
})

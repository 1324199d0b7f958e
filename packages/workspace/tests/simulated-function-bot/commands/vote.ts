import { command, rest, row } from '@botwright/framework'
import vote from '../buttons/vote.ts'

export default command({
  description: 'Posts buttons',
  args: { text: rest() },
  run: (ctx) => ({
    content: `vote ${ctx.args.text}`,
    components: [
      row(...(['reply', 'update', 'late', 'silent'] as const).map((how) => vote.button({ how }, { label: how }))),
    ],
  }),
})

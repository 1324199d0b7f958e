import { command, rest, row } from '@botwright/framework'
import vote from '../buttons/vote.ts'

export default command({
  description: 'Posts buttons',
  args: { text: rest() },
  run: (ctx) => ({
    content: `vote ${ctx.args.text}`,
    components: [
      row(
        ...(['reply', 'update', 'ephemeral', 'late', 'silent'] as const)
          .map((how) => vote.button({ how, text: ctx.args.text.slice(0, 20) }, { label: how }))
          .slice(0, 5),
      ),
    ],
  }),
})

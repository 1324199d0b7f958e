import { command, rest, row } from '@botwright/framework'
import vote from '../buttons/vote.ts'

const ways = [
  ['reply', 'update', 'ephemeral'],
  ['late', 'silent', 'gone'],
] as const

export default command({
  description: 'Posts buttons',
  args: { text: rest() },
  run: (ctx) => ({
    content: `vote ${ctx.args.text}`,
    components: ways.map((some) =>
      row(...some.map((how) => vote.button({ how, text: ctx.args.text.slice(0, 20) }, { label: how }))),
    ),
  }),
})

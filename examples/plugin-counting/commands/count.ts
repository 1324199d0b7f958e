import { command, row } from '@botwright/framework'
import rules from '../buttons/rules.ts'
import counting from '../plugin.ts'

export default command({
  description: 'Shows the current count',
  run: async (ctx) => {
    const kept = (await ctx.state.channel.get('count')) as { last: number; record: number } | undefined
    const { last, record } = kept ?? { last: counting.options(ctx).start - 1, record: 0 }
    await ctx.reply({
      content: `The last number is ${last}, the record is ${record}.`,
      components: [row(rules.button({ label: 'Rules' }))],
    })
  },
})

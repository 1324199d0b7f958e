import { command, integer } from '@botwright/framework'

export default command({
  description: 'Counts votes',
  args: { count: integer() },
  run: async (ctx) => ctx.reply(await ctx.t('votes', { count: ctx.args.count })),
})

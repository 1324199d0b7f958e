import { task } from '@botwright/framework'

export default task({
  every: '1m',
  run: async (ctx) => {
    await ctx.state.bot.update('minutes', (n) => Number(n ?? 0) + 1)
  },
})

import { command, rest } from '@botwright/framework'

/** Counts each call at most once, also for a model. */
export default command({
  description: 'Adds something',
  args: { text: rest() },
  run: async (ctx) => {
    const { text } = ctx.args
    await ctx.once('add', () => ctx.state.bot.update(`add ${text}`, (n) => Number(n ?? 0) + 1))
    return `added ${text}`
  },
})

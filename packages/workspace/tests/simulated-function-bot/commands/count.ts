import { command, rest } from '@botwright/framework'

/** Counts each call at most once, however often it runs. */
export default command({
  description: 'Counts',
  args: { text: rest() },
  run: async (ctx) => {
    const { text } = ctx.args
    await ctx.once('count', () => ctx.state.user.update(`count ${text}`, (n) => Number(n ?? 0) + 1))
    return `counted ${text}`
  },
})

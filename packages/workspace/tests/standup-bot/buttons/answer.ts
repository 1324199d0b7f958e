import { button } from '@botwright/framework'

export default button({
  run: async (ctx) => {
    const done = await ctx.ask('What did you do?', { timeout: '3h' })
    const next = await ctx.ask('What will you do?', { timeout: '3h' })
    return `Noted: ${done}, then ${next}.`
  },
})

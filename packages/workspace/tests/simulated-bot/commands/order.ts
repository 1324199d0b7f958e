import { command, integer, rest } from '@botwright/framework'

/** A durable conversation: each of its effects happens once. */
export default command({
  description: 'Orders something',
  durable: true,
  args: { text: rest() },
  run: async (ctx) => {
    const { text } = ctx.args
    const amount = await ctx.ask(`how many for ${text}?`, { as: integer({ min: 1, max: 99 }), timeout: '3m' })
    const size = await ctx.choose(`which size of ${amount} for ${text}?`, ['small', 'large'], { timeout: '3m' })
    await ctx.state.channel.update(`order ${text}`, (n) => Number(n ?? 0) + amount)
    await ctx.sleep('20s')
    return `ordered ${text}: ${amount} ${size}`
  },
})

import { command, hasRole, rest } from '@botwright/framework'

/** A durable approval: it is decided once, by a person with the role. Its click is often in another channel, whose events do not wait. */
export default command({
  description: 'Requests time off',
  durable: true,
  args: { text: rest() },
  run: async (ctx) => {
    const { text } = ctx.args
    const { approved, by, reason } = await ctx.approve({
      in: '#random',
      title: `leave ${text}`,
      by: hasRole('Staff'),
      timeout: '3m',
    })
    await ctx.state.bot.update(`leave ${text}`, (n) => Number(n ?? 0) + 1)
    return `decided ${text}: ${approved ? 'yes' : 'no'} by ${by.id} ${reason}`
  },
})

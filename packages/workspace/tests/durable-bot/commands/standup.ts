import { command } from '@botwright/framework'

/** Two days of standups; the second one begins with an empty record. */
export default command({
  description: 'Collects what people do each day',
  durable: true,
  args: {},
  run: async (ctx) => {
    const day = Number(await ctx.state.user.update('day', (n) => Number(n ?? 0) + 1))
    const done = await ctx.ask(`Day ${day}: what have you done?`, { in: 'dm', timeout: '8h' }).catch(() => 'nothing')
    const next = await ctx.ask('And what is next?', { in: 'dm', timeout: '8h' }).catch(() => 'nothing')
    await Promise.all([
      ctx.send(ctx.channel_id, `${ctx.user.name}, day ${day}, done: ${done}`),
      ctx.state.user.set(`next ${day}`, next),
      ctx.step('count', () => day),
    ])
    if (day === 2) return 'The standup is over.'
    await ctx.sleep('1d')
    return ctx.continueAs()
  },
})

import { command, hasRole } from '@botwright/framework'

export default command({
  description: 'Orders something',
  durable: true,
  run: async (ctx) => {
    const title = await ctx.ask('What do you need?')
    const { reason } = await ctx.approve({ in: '#managers', title, by: hasRole('Manager') })
    return reason
  },
})

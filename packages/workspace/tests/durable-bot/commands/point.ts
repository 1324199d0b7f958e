import { command } from '@botwright/framework'

export default command({
  description: 'Counts a point for a person',
  durable: true,
  run: async (ctx) => String(await ctx.state.user.update('points', (points) => Number(points ?? 0) + 1)),
})

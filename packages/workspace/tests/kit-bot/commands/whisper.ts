import { command } from '@botwright/framework'

export default command({
  description: 'Answers by direct message',
  run: async (ctx) => {
    await ctx.ephemeral('Psst.')
  },
})

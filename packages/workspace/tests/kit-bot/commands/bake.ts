import { command } from '@botwright/framework'

export default command({
  description: 'Fails after an answer',
  run: async (ctx) => {
    await ctx.ask('When?')
    throw new Error('no dough')
  },
})

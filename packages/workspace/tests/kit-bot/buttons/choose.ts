import { button, oneOf } from '@botwright/framework'

export default button({
  params: { drink: oneOf('tea', 'coffee') },
  run: async (ctx) => {
    await ctx.update(`Tea or coffee? ${ctx.user.name} takes ${ctx.params.drink}.`)
    await ctx.ephemeral('Thank you.')
  },
})

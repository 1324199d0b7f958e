import { button, uuid } from '@botwright/framework'

export default button({
  params: { challenger: uuid(), opponent: uuid() },
  run: (ctx) => {
    const { challenger, opponent } = ctx.params
    if (ctx.user.id === opponent || ctx.user.id === challenger)
      return ctx.update({ content: `${ctx.user.name} puts the dice away: no duel.`, components: null })
    return ctx.ephemeral('This duel is not yours.')
  },
})

import { button, uuid } from '@botwright/framework'

export default button({
  params: { challenger: uuid(), opponent: uuid() },
  run: (ctx) => {
    const { challenger, opponent } = ctx.params
    if (ctx.user.id === opponent || ctx.user.id === challenger)
      return ctx.update({ content: `${ctx.user.name} declined the duel.`, components: null })
    return ctx.ephemeral('This is not your duel.')
  },
})

import { button, uuid } from '@botwright/framework'
import { roll } from '../../lib/dice.ts'
import wins from '../../state/wins.ts'

export default button({
  params: { challenger: uuid(), opponent: uuid() },
  run: async (ctx) => {
    const { challenger, opponent } = ctx.params
    if (ctx.user.id !== opponent) return ctx.ephemeral('This is not your duel.')
    const [theirs = 0, yours = 0] = roll(2, 6)
    const rolls = `<@${challenger}> rolls ${theirs}, <@${opponent}> rolls ${yours}`
    if (theirs === yours) return ctx.update({ content: `⚔️ ${rolls}: a draw.`, components: null })
    const winner = theirs > yours ? challenger : opponent
    await ctx.update({ content: `⚔️ ${rolls}: <@${winner}> wins!`, components: null })
    // Count once, even if this click is delivered again after a crash.
    await ctx.once('count', async () => {
      await wins.of(ctx, { user_id: winner }).update((count) => count + 1)
    })
  },
})

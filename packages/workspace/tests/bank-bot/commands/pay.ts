import { command, integer, user } from '@botwright/framework'
import purse from '../state/purse.ts'

export default command({
  description: 'Gives a person coins',
  args: { to: user(), coins: integer({ min: 1, max: 50 }) },
  run: async (ctx) => {
    const { to, coins } = ctx.args
    if (ctx.redelivered) return 'I was interrupted. Please look at your purse.'
    if (to === ctx.user.id || (await purse.of(ctx).get()) < coins) return 'That does not work.'
    // A planted fault: a crash between the two writes loses the coins.
    await purse.of(ctx).update((had) => had - coins)
    await purse.of(ctx, { user_id: to }).update((had) => had + coins)
    return `You gave ${coins} coins.`
  },
})

import { command, row, user } from '@botwright/framework'
import accept from '../buttons/duel/accept.ts'
import decline from '../buttons/duel/decline.ts'

export default command({
  description: 'Challenges a member to a duel: the higher roll wins',
  args: { opponent: user() },
  run: (ctx) => {
    const { opponent } = ctx.args
    if (opponent === ctx.user.id) return 'You cannot challenge yourself.'
    const duel = { challenger: ctx.user.id, opponent }
    return {
      content: `<@${opponent}>, <@${ctx.user.id}> challenges you to a duel of dice!`,
      components: [
        row(
          accept.button(duel, { label: 'Accept', style: 'success' }),
          decline.button(duel, { label: 'Decline', style: 'danger' }),
        ),
      ],
    }
  },
})

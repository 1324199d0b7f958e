import { command, serverOnly } from '@botwright/framework'
import team from '../state/team.ts'

export default command({
  description: 'Adds you to the team',
  guards: [serverOnly()],
  run: async (ctx) => {
    await team.of(ctx).update((members) => [...members, ctx.user.id])
    return 'You are asked every morning.'
  },
})

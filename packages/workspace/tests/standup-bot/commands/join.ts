import { command, serverOnly } from '@botwright/framework'
import team from '../state/team.ts'

export default command({
  description: 'Takes you into the team',
  guards: [serverOnly()],
  run: async (ctx) => {
    await team.of(ctx).update((members) => [...members, ctx.user.id])
    return 'You are asked every morning.'
  },
})

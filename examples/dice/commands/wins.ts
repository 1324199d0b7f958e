import { command, serverOnly } from '@botwright/framework'
import wins from '../state/wins.ts'

export default command({
  description: 'Shows who has won the most duels',
  guards: [serverOnly()],
  run: async (ctx) => {
    const best = await wins.top(ctx, { by: (count) => count, limit: 5 })
    if (best.length === 0) return 'No duels won yet.'
    return best.map(({ owner, value }, place) => `${place + 1}. <@${owner.user_id}>: ${value}`).join('\n')
  },
})

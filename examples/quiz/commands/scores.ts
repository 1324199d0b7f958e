import { command } from '@botwright/framework'
import points from '../state/points.ts'

export default command({
  description: 'Shows who has the most points',
  run: async (ctx) => {
    const best = await points.top(ctx, { by: (total) => total, limit: 5 })
    if (best.length === 0) return 'No points yet. Try /quiz.'
    return best.map(({ owner, value }, place) => `${place + 1}. <@${owner.user_id}>: ${value}`).join('\n')
  },
})

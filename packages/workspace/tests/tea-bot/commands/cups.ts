import { command } from '@botwright/framework'
import cups from '../state/cups.ts'

export default command({
  description: 'Shows who has had the most tea here',
  run: async (ctx) => {
    const best = await cups.top(ctx, { by: (count) => count, limit: 3 })
    if (best.length === 0) return 'No one has had tea yet: try /tea.'
    return best.map(({ owner, value }, place) => `${place + 1}. <@${owner.user_id}>: ${value}`).join('\n')
  },
})

import { command } from '@botwright/framework'
import visit from '../state/visit.ts'

export default command({
  description: 'Remembers your visit',
  run: async (ctx) => {
    await visit.of(ctx).set(ctx.clock.now())
    return 'Welcome.'
  },
})

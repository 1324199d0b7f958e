import { command } from '@botwright/framework'
import feeds from '../state/feeds.ts'

export default command({
  description: 'Lists the feeds',
  run: async (ctx) => {
    const names = Object.keys(await feeds.of(ctx).get())
    return names.length === 0 ? 'No feeds connected.' : `Feeds: ${names.join(', ')}`
  },
})

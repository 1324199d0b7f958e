import { pages } from '@botwright/framework'
import rsvps from '../state/rsvps.ts'

export default pages({
  size: 2,
  by: 'anyone',
  load: async (ctx, { offset, size }) => {
    const prefix = `${ctx.server_id}:`
    const events = await rsvps.list(ctx, { prefix, offset, limit: size })
    const lines = events.map(({ key, value }) => `${key.slice(prefix.length)}: ${value.coming.length}`)
    return { title: 'Events', lines, total: await rsvps.count(ctx, { prefix }) }
  },
})

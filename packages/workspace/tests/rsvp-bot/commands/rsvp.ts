import { command, text } from '@botwright/framework'
import rsvps from '../state/rsvps.ts'

export default command({
  description: 'Says that you come',
  args: { event: text({ max: 40 }) },
  run: async (ctx) => {
    const { coming } = await rsvps
      .at(ctx, `${ctx.server_id}:${ctx.args.event}`)
      .update((rsvp) => ({ coming: [...new Set([...rsvp.coming, ctx.user.name])] }))
    return `${ctx.args.event}: ${coming.join(', ')}`
  },
})

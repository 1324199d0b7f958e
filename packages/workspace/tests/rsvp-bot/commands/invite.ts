import { command, text } from '@botwright/framework'
import rsvps from '../state/rsvps.ts'

/** Durable: the values that it reads and writes are steps. */
export default command({
  description: 'Invites you in an hour',
  durable: true,
  args: { event: text({ max: 40 }) },
  run: async (ctx) => {
    const before = await rsvps.count(ctx)
    await rsvps.at(ctx, ctx.args.event).set({ coming: ['the host'] })
    await ctx.sleep('1h')
    const { coming } = await rsvps.at(ctx, ctx.args.event).get()
    return `${coming[0]} invites you; there were ${before} events before.`
  },
})

import { bearer, header, route } from '@botwright/framework'
import { z } from 'zod'
import { addMeeting } from '../lib/meetings.ts'

/** Another program, such as the website of a club, adds an event and announces it. */
export default route({
  verify: bearer('ANNOUNCE_TOKEN'),
  id: header('idempotency-key'),
  body: z.object({ title: z.string().min(1).max(80), start: z.coerce.date(), seats: z.int().min(1).max(25) }),
  run: async (ctx) => {
    const wanted = String(ctx.env.ANNOUNCE_CHANNEL)
    const { channels } = await ctx.api.channels.list({ type: 'text' })
    const channel = channels.find(({ name }) => name === wanted)
    if (!channel) throw new Error(`there is no channel #${wanted} (ANNOUNCE_CHANNEL in .env)`)
    await ctx.send(channel.id, await addMeeting(ctx, { ...channel, channel_id: channel.id, ...ctx.body }))
  },
})

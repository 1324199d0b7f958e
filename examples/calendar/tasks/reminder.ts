import { escape, task } from '@botwright/framework'
import { mentions } from '../lib/card.ts'
import meetings from '../state/meetings.ts'

/** Reminds the people who have a seat, an hour before. */
export default task<{ key: string; channel_id: string }>({
  retry: true,
  run: async (ctx) => {
    const { key, channel_id } = ctx.payload
    const meeting = await meetings.at(ctx, key).get()
    if (!meeting || meeting.people.length === 0) return
    const { title, start, seats } = meeting
    const people = mentions(meeting.people.slice(0, seats))
    const language = await ctx.language({ server_id: key.split(':')[0]! })
    await ctx.send(channel_id, ctx.t.in(language, 'reminder', { title: escape(title), start: new Date(start), people }))
  },
})

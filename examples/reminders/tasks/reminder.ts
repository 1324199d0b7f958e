import { task } from '@botwright/framework'
import type { Reminder } from '../lib/reminder.ts'

export default task<Reminder>({
  // A duplicate is better than a missed reminder.
  retry: true,
  run: async (ctx) => {
    const { user_id, channel_id, text } = ctx.payload
    if (channel_id === null) await ctx.dm(user_id, `⏰ ${text}`)
    else await ctx.send(channel_id, `⏰ <@${user_id}> ${text}`)
  },
})

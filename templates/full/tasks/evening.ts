import { task } from '@botwright/framework'
import { listOf } from '../buttons/done.ts'
import todos from '../state/todos.ts'

/** Runs every evening and posts to each channel with open to-dos. */
export default task({
  cron: '0 18 * * *',
  timezone: 'Europe/Berlin',
  run: async (ctx) => {
    for (const { owner, value } of await todos.list(ctx, { limit: 10_000 })) {
      if (value.open.length === 0) continue
      // The bot may no longer see the channel. The others still get their lists.
      try {
        await ctx.send(owner.channel_id, listOf(value.open))
      } catch (error) {
        ctx.log.warn({ error }, `no list for the channel ${owner.channel_id}`)
      }
    }
  },
})

import { event, mentioned, serverOnly } from '@botwright/framework'
import { line, upcoming } from '../../lib/meetings.ts'

/** Someone who mentions the bot gets the next meeting. */
export default event('message', {
  when: mentioned(),
  guards: [serverOnly()],
  run: async (ctx) => {
    const [next] = await upcoming(ctx, ctx.server_id)
    return next ? line(ctx, await ctx.language(), next) : ctx.t('list.empty')
  },
})

import { event, serverOnly } from '@botwright/framework'
import { line, upcoming } from '../../lib/meetings.ts'

/** "When is the quiz?" */
export default event('message', {
  match: '^(?:[Ww]hen is|[Ww]ann ist) (?<title>[^?]{1,80})\\?$',
  guards: [serverOnly()],
  run: async (ctx) => {
    const asked = ctx.match.groups.title.toLowerCase()
    const found = (await upcoming(ctx, ctx.server_id)).find(({ title }) => title.toLowerCase().includes(asked))
    return found && line(ctx, await ctx.language(), found)
  },
})

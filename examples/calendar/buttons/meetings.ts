import { pages } from '@botwright/framework'
import { line, upcoming } from '../lib/meetings.ts'

export default pages({
  size: 5,
  load: async (ctx) => {
    const language = await ctx.language()
    const lines = (await upcoming(ctx, String(ctx.server_id))).map((meeting) => line(ctx, language, meeting))
    const title = ctx.t.in(language, 'list.title')
    // `empty` is one text for all languages.
    return lines.length > 0 ? { title, lines } : { content: ctx.t.in(language, 'list.empty'), total: 0 }
  },
})

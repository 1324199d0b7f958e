import { command, text } from '@botwright/framework'
import feeds from '../state/feeds.ts'

export default command({
  description: 'Connects a feed to a channel (in direct messages): /connect news <webhook URL>',
  args: { feed: text({ max: 30 }), url: text() },
  run: async (ctx) => {
    const { feed, url } = ctx.args
    if (ctx.server_id !== null)
      return 'The URL of a webhook is a secret, and everyone here can read it. Create a new one and send it to me in a direct message.'
    if (!URL.canParse(url)) return 'That is not a URL. Create a webhook in the channel settings and copy its URL.'
    await feeds.of(ctx).update((all) => ({ ...all, [feed]: url }))
    return `"${feed}" is connected. Post with \`/publish ${feed} "Title" text\`.`
  },
})

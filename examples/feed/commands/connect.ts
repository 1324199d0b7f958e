import { command, text } from '@botwright/framework'
import feeds from '../state/feeds.ts'

export default command({
  description: 'Connects a feed to a channel, by direct message: /connect news <webhook URL>',
  args: { feed: text({ max: 30 }), url: text() },
  run: async (ctx) => {
    const { feed, url } = ctx.args
    if (ctx.server_id !== null)
      return 'The URL of a webhook is a secret, and everybody here can read it: make a new one, and send it to me directly.'
    if (!URL.canParse(url)) return 'That is no URL. Make a webhook in the settings of the channel, and copy its URL.'
    await feeds.of(ctx).update((all) => ({ ...all, [feed]: url }))
    return `"${feed}" is connected. Now \`/publish ${feed} "Title" text\` posts there.`
  },
})

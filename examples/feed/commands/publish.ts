import { BotwrightError, channelWebhook, command, cooldown, rest, text } from '@botwright/framework'
import feeds from '../state/feeds.ts'

export default command({
  description: 'Posts to the channel of a feed: /publish news "Title" text',
  // A webhook accepts 30 posts a minute.
  guards: [cooldown('1m', { per: 'global', uses: 30 })],
  args: { feed: text(), title: text({ max: 200 }), story: rest() },
  run: async (ctx) => {
    const { feed, title, story } = ctx.args
    const all = await feeds.of(ctx).get()
    const url = Object.hasOwn(all, feed) ? all[feed] : undefined
    if (url === undefined) return `There is no feed "${feed}". Create one with \`/connect\`.`
    try {
      // Posts under the feed's name and does not count against the bot's message budget.
      await ctx.once('post', () =>
        channelWebhook(url).post({
          username: feed,
          embeds: [{ title, description: story, color: '#5e6ad2', footer: { text: `by ${ctx.user.name}` } }],
        }),
      )
    } catch (error) {
      if (!(error instanceof BotwrightError) || error.code !== 'ERR_CHANNEL_WEBHOOK') throw error
      return `The webhook of "${feed}" refused the post. If it was deleted, set a new URL with \`/connect\`.`
    }
    return ctx.react('📰')
  },
})

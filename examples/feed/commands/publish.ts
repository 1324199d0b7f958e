import { BotwrightError, channelWebhook, command, cooldown, rest, text } from '@botwright/framework'
import feeds from '../state/feeds.ts'

export default command({
  description: 'Posts into the channel of a feed: /publish news "Title" text',
  // A webhook takes 30 posts a minute.
  guards: [cooldown('1m', { per: 'global', uses: 30 })],
  args: { feed: text(), title: text({ max: 200 }), story: rest() },
  run: async (ctx) => {
    const { feed, title, story } = ctx.args
    const url = (await feeds.of(ctx).get())[feed]
    if (url === undefined) return `There is no feed "${feed}": \`/connect\` makes one.`
    try {
      // Not in the name of the bot, but of the feed; and not out of the bot's message budget.
      await ctx.once('post', () =>
        channelWebhook(url).post({
          username: feed,
          embeds: [{ title, description: story, color: '#5e6ad2', footer: { text: `by ${ctx.user.name}` } }],
        }),
      )
    } catch (error) {
      if (!(error instanceof BotwrightError) || error.code !== 'ERR_CHANNEL_WEBHOOK') throw error
      return `The channel of "${feed}" did not take it. Is its webhook still there? \`/connect\` takes a new URL.`
    }
    return ctx.react('📰')
  },
})

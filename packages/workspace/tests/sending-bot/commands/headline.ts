import { channelWebhook, command, rest } from '@botwright/framework'

/** `/headline …`: posts under another name, through the channel webhook whose URL is in `.env`. */
export default command({
  description: 'Posts a headline',
  args: { text: rest({ max: 200 }) },
  run: async (ctx) => {
    const url = process.env['NEWS_WEBHOOK_URL']
    if (url === undefined) return 'NEWS_WEBHOOK_URL is not set.'
    await channelWebhook(url).post({ username: 'News desk', embeds: [{ title: ctx.args.text }] })
    const { used, limit } = await ctx.budget()
    return `Posted. ${used} of ${limit} messages of this minute are used.`
  },
})

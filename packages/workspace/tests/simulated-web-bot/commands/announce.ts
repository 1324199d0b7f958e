import { channelWebhook, command, rest } from '@botwright/framework'

/** Posts once under another name, and then more than the service accepts at a time. */
export default command({
  description: 'Announces something',
  args: { text: rest() },
  run: async (ctx) => {
    const { text } = ctx.args
    const news = channelWebhook(String(ctx.env['NEWS_URL']))
    await ctx.once('announce', async () => (await news.postAndWait(`announced ${text}`)).id)
    await Promise.all([1, 2, 3, 4].map((part) => news.post(`part ${part} of ${text}`)))
    return `announced all of ${text}`
  },
})

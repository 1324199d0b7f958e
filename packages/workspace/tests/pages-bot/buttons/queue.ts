import { type Context, pages } from '@botwright/framework'

/** Its length and the length of a line are in the bot's state, which commands/queue.ts changes. */
export default pages({
  size: 3,
  by: 'anyone',
  empty: 'The queue is empty.',
  load: async (ctx, page) => {
    const [length, width] = await read(ctx)
    if (page.number === 4) await deleteClicked(ctx)
    return { lines: Array.from({ length }, (_, i) => `${i + 1}${'x'.repeat(width)}`) }
  },
})

const read = async (ctx: Context) => ((await ctx.state.bot.get('queue')) ?? [0, 0]) as [number, number]

/** Stands for a person who deletes the message while the page is loaded. */
const deleteClicked = (ctx: Context) =>
  ctx.delete({ channel_id: String(ctx.channel_id), id: String(ctx.event['message_id']) })

import { event } from '@botwright/framework'
import asker from '../state/asker.ts'
import ticket from '../state/ticket.ts'

/** Forwards messages to the other side of a ticket. */
export default event('message', async (ctx) => {
  if (ctx.author.bot) return
  if (ctx.server_id === null) {
    const { channel_id } = await ticket.of(ctx).get()
    if (channel_id === '') return ctx.reply('You have no open ticket. Open one in a server with `/ticket`.')
    await ctx.send(channel_id, `**${ctx.author.name}**: ${ctx.content}`)
  } else {
    const { user_id } = await asker.of(ctx).get()
    if (user_id === '') return
    await ctx.dm(user_id, `**${ctx.author.name}**: ${ctx.content}`)
  }
  await ctx.react('📨')
})

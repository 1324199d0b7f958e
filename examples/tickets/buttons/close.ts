import { button } from '@botwright/framework'
import asker from '../state/asker.ts'
import ticket from '../state/ticket.ts'

export default button({
  run: async (ctx) => {
    const { user_id } = await asker.of(ctx).get()
    if (user_id === '') return ctx.ephemeral('This ticket is already closed.')
    await ctx.ack()
    await ctx.dm(user_id, `${ctx.user.name} closed your ticket.`)
    await ticket.of(ctx, { user_id }).delete()
    await asker.of(ctx).delete()
    await ctx.api.channels.delete({ channel_id: ctx.channel_id })
  },
})

import { command, rest, row } from '@botwright/framework'
import close from '../buttons/close.ts'
import { STAFF } from '../lib/staff.ts'
import asker from '../state/asker.ts'
import ticket from '../state/ticket.ts'

export default command({
  description: 'Opens a ticket: /ticket my parcel has not arrived',
  args: { subject: rest({ max: 300 }) },
  run: async (ctx) => {
    const { server_id, user } = ctx
    if (server_id === null) return 'Open a ticket in the server whose staff can help you. After that, write to me here.'
    if ((await ticket.of(ctx).get()).channel_id !== '')
      return ctx.ephemeral('You already have an open ticket. Write to me here.')
    const { roles } = await ctx.api.servers.roles({ server_id })
    const staff = roles.find(({ name }) => name === STAFF)
    if (!staff) return `This server has no role "${STAFF}" to answer tickets.`
    const { channel } = await ctx.api.channels.create({ server_id, name: `ticket-${user.name}` })
    await ctx.api.channels.update({ channel_id: channel.id, private: true, role_ids: [staff.id] })
    await asker.of(ctx, { channel_id: channel.id }).set({ user_id: user.id, name: user.name })
    await ticket.of(ctx).set({ channel_id: channel.id })
    await ctx.send(channel.id, {
      content: `<@${user.id}> asks: ${ctx.args.subject}\nI forward what you write here as a direct message.`,
      components: [row(close.button({ label: 'Close', style: 'danger' }))],
    })
    await ctx.react('🎫')
    return ctx.ephemeral('Your ticket is open. Write to me here to reach the staff.')
  },
})

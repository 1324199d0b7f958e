import { command, escape, rest, serverOnly } from '@botwright/framework'

export default command({
  description: 'Reports the message that you reply to',
  args: { reason: rest({ max: 200 }).default('no reason given') },
  guards: [serverOnly()],
  run: async (ctx) => {
    const { channel_id, server_id, event } = ctx
    const message_id = event.reply_to_id
    if (!message_id) return 'Reply to the message that you want to report, with `/report`.'
    const { content } = await ctx.api.messages.get({ channel_id, message_id })
    const { channels } = await ctx.api.channels.listOfServer({ server_id, type: 'text' })
    const staff = channels.find(({ name }) => name === 'staff')
    if (!staff) return 'This server has no channel named staff.'
    await ctx.send(
      staff.id,
      `<@${ctx.user.id}> reported "${escape(content, { max: 1000 })}" in <#${channel_id}>: ${ctx.args.reason}`,
    )
    return ctx.ephemeral('Thank you, the staff will look at it.')
  },
})

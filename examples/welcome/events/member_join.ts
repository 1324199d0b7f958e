import { event } from '@botwright/framework'

export default event('member_join', async (ctx) => {
  const { server_id, user_id, member_count } = ctx.event
  const { channels } = await ctx.api.channels.listOfServer({ server_id, type: 'text' })
  const general = channels.find(({ name }) => name === 'general')
  if (!general) return ctx.log.warn({ server_id }, 'no channel #general for welcome messages')
  await ctx.send(
    general.id,
    `Welcome, <@${user_id}>! You are member number ${member_count}. Try \`/rules\` and \`/roles\`.`,
  )
})

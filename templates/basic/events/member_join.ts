import { event } from '@botwright/framework'

export default event('member_join', async (ctx) => {
  const { channels } = await ctx.api.channels.listOfServer({ server_id: ctx.event.server_id, type: 'text' })
  const general = channels.find((channel) => channel.name === 'general')
  if (general) await ctx.send(general.id, `Welcome, <@${ctx.event.user_id}>! Type \`/ping\` to try it out.`)
})

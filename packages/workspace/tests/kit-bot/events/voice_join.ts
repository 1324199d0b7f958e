import { event } from '@botwright/framework'

export default event('voice_join', async (ctx) => {
  const { channels } = await ctx.api.channels.listOfServer({ server_id: ctx.event.server_id ?? '', type: 'text' })
  const [first] = channels
  if (first) await ctx.send(first.id, 'Somebody sits in the lounge.')
})

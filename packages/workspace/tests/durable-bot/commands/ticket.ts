import { command } from '@botwright/framework'

export default command({
  description: 'Opens a ticket',
  durable: true,
  run: async (ctx) => {
    const subject = await ctx.ask('What is it about?', { timeout: '1h' })
    const id = ctx.uuid().slice(0, 4)
    const posted = await ctx.send(ctx.channel_id, `Ticket ${id.length}: ${subject}`)
    await ctx.api.reactions.add({ channel_id: posted.channel_id, message_id: posted.id, emoji: '📌' })
    const opened = ctx.now()
    for (;;) {
      const text = await ctx.ask('Anything to add? Type "close" to close it.', { timeout: '2d' })
      if (text === 'close') break
      await ctx.edit(posted, `${subject}: ${text}`)
    }
    const hours = Math.round((ctx.now() - opened) / 3_600_000)
    await ctx.edit(posted, `Closed: ${subject}, after ${hours} h`)
    return 'Closed.'
  },
})

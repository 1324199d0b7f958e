import { command, integer } from '@botwright/framework'

/** `/sweep 50`: deletes what bots wrote among the last 50 messages. Messages of others need Manage messages. */
export default command({
  description: 'Deletes what bots wrote',
  args: { last: integer({ min: 1, max: 500 }).default(50) },
  run: async (ctx) => {
    const { deleted } = await ctx.purge(ctx.channel_id, {
      last: ctx.args.last,
      where: (message) => message.author_bot === true,
    })
    const note = await ctx.reply(`Swept ${deleted.length} messages`)
    await ctx.dm(ctx.user.id, `You swept ${deleted.length} messages of bots`)
    await ctx.edit(note, `${note.content} 🧹`)
  },
})

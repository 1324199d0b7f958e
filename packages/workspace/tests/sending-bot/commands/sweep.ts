import { command, integer } from '@botwright/framework'

/** `/sweep 50`: deletes messages of bots among the last 50 messages. Messages of others require Manage messages. */
export default command({
  description: 'Deletes messages of bots',
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

import { type Context, embed } from '@botwright/framework'

const LOG = 'mod-log'

/** Logs an action to #mod-log: who did what to whom, and why. */
export async function log(ctx: Context, what: string, { user_id, reason }: { user_id: string; reason: string }) {
  if (ctx.server_id === null) return
  const { channels } = await ctx.api.channels.listOfServer({ server_id: ctx.server_id, type: 'text' })
  const channel = channels.find(({ name }) => name === LOG)
  if (!channel) return ctx.log.warn({ server_id: ctx.server_id }, `no channel #${LOG} that the bot can see`)
  const card = embed({
    title: what,
    color: '#c0392b',
    fields: [
      { name: 'Member', value: `<@${user_id}>`, inline: true },
      { name: 'By', value: `<@${ctx.user.id}>`, inline: true },
      { name: 'Reason', value: reason || 'none given' },
    ],
  })
  await ctx.send(channel.id, { embeds: [card] })
}

import { event } from '@botwright/framework'
import { MEMBER } from '../lib/roles.ts'
import rules from '../state/rules.ts'

export default event('reaction_add', async (ctx) => {
  const { server_id, message_id, user_id, emoji } = ctx.event
  if (server_id === null || emoji !== '✅') return
  if ((await rules.of(ctx).get()).message_id !== message_id) return
  const { roles } = await ctx.api.servers.roles({ server_id })
  const member = roles.find(({ name }) => name === MEMBER)
  if (!member) return ctx.log.warn({ server_id }, `no role "${MEMBER}"`)
  await ctx.api.moderation.addRole({ server_id, user_id, role_id: member.id })
  await ctx.dm(user_id, 'Thank you! You are now a member.')
})

import type { Rule } from '../rule.ts'

/** Members may post images one hour after they joined. */
const newcomers: Rule = async (ctx) => {
  const { server_id, user, event } = ctx
  if (event.attachment === null || server_id === null) return undefined
  const { member } = await ctx.api.members.get({ server_id, user_id: user.id })
  return ctx.clock.now() - Date.parse(member.joined_at) < 3_600_000 ? 'no images in your first hour' : undefined
}
export default newcomers

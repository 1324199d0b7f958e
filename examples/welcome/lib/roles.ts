import type { Context } from '@botwright/framework'

/** The role that those get who have agreed to the rules. */
export const MEMBER = 'member'

/** Roles that everybody may take: those with no permission. */
export async function freeRoles(ctx: Context, server_id: string) {
  const { roles } = await ctx.api.servers.roles({ server_id })
  return roles.filter(({ name, permissions }) => permissions.length === 0 && name !== MEMBER)
}

/** Gives the person a role, or takes it; says which. */
export async function toggleRole(ctx: Context, who: { server_id: string; user_id: string; role_id: string }) {
  const { member } = await ctx.api.members.get(who)
  const has = member.roles.includes(who.role_id)
  await (has ? ctx.api.moderation.removeRole(who) : ctx.api.moderation.addRole(who))
  return has ? 'taken' : 'given'
}

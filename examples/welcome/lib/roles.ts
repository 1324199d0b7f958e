import type { Context } from '@botwright/framework'

/** The role of people who have agreed to the rules. */
export const MEMBER = 'member'

/** Roles that anyone can choose: those without permissions. */
export async function freeRoles(ctx: Context, server_id: string) {
  const { roles } = await ctx.api.servers.roles({ server_id })
  return roles.filter(({ name, permissions }) => permissions.length === 0 && name !== MEMBER)
}

/** Adds the role to the person or removes it, and returns which. */
export async function toggleRole(ctx: Context, who: { server_id: string; user_id: string; role_id: string }) {
  const { member } = await ctx.api.members.get(who)
  const has = member.roles.includes(who.role_id)
  await (has ? ctx.api.moderation.removeRole(who) : ctx.api.moderation.addRole(who))
  return has ? 'taken' : 'given'
}

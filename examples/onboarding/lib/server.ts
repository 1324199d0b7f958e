import type { Context } from '@botwright/framework'

interface Member {
  server_id: string
  user_id: string
}

/** Whether the person has not left the server. */
export async function isMember(ctx: Context, { server_id, user_id }: Member): Promise<boolean> {
  try {
    await ctx.api.members.get({ server_id, user_id })
    return true
  } catch (error) {
    if ((error as { status?: number }).status === 404) return false
    throw error
  }
}

/** Gives the person the role with this name. */
export async function giveRole(ctx: Context, { server_id, user_id }: Member, name: string): Promise<void> {
  const { roles } = await ctx.api.servers.roles({ server_id })
  const [role, other] = roles.filter((one) => one.name === name)
  if (!role || other) throw new Error(`the server has ${role ? 'several roles' : 'no role'} "${name}"`)
  await ctx.api.moderation.addRole({ server_id, user_id, role_id: role.id })
}

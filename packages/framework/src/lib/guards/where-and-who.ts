import { BotwrightError, permissions } from '@botwright/protocol/facts'
import type { Context } from '../context/context.ts'
import { didYouMean } from '../entry-name.ts'
import { type DmGuard, type Guard, guard, type GuardOptions, type ServerGuard } from './guard.ts'
import { normalPermission, roleBookOf, type PermissionName } from './role-book.ts'

/** Only in servers: not in direct messages (§6: there `server_id` is null). */
export const serverOnly = ({ refusal = 'This works in servers only.' }: GuardOptions = {}): ServerGuard =>
  inServer(guard({ describe: 'only in servers', check: (ctx) => ctx.server_id !== null, refusal }))

const inServer = (guard: Guard): ServerGuard => ({ ...guard, where: 'server' })

/** Only in direct messages. */
export const dmOnly = ({ refusal = 'This works in direct messages only.' }: GuardOptions = {}): DmGuard => ({
  ...guard({
    describe: 'only in direct messages',
    check: (ctx) => ctx.server_id === null && ctx.channel_id !== null,
    refusal,
  }),
  where: 'dm',
})

/** Only for the account that owns this bot (§2, `bot.owner_id`). */
export const ownerOnly = ({ refusal = 'Only the owner of this bot can use this.' }: GuardOptions = {}): Guard =>
  guard({
    describe: 'only for the owner of this bot',
    check: (ctx) => ctx.user.id !== '' && ctx.user.id === ctx.me.bot?.owner_id,
    refusal,
  })

/**
 * Only for people who hold a role of the server, given by its name (whatever its case) or id. Nobody in direct messages.
 * Who holds what is asked from the service, and remembered for 30 seconds.
 */
export function hasRole(role: string, { refusal }: GuardOptions = {}): ServerGuard {
  const refused = (name: string) => ({ refusal: refusal ?? `Only people with the role ${name} can use this.` })
  return inServer({
    describe: `only for people with the role ${role}`,
    counts: false,
    check: async (ctx) => {
      const at = memberOf(ctx)
      if (!at) return refused(role)
      const book = roleBookOf(ctx)
      const { held, name } = await book.holds(at, role)
      if (held) return true
      if (name !== undefined) return refused(name)
      return { ...refused(role), tellOddity: () => book.tellMissing(at, role, ctx.file) }
    },
  })
}

/**
 * Only for people one of whose roles has a permission of §5, such as `'Manage messages'`, and for the owner of the server.
 * It needs a service that tells the permissions of roles, as the local one does; where it does not, only the owner passes.
 */
export function hasPermission(permission: PermissionName, { refusal }: GuardOptions = {}): ServerGuard {
  const name = normalPermission(permission)
  // Another service may know more of them: only what looks mistyped is refused.
  const near = permissions.some((known) => known === name) ? undefined : didYouMean(name, permissions)
  if (near !== undefined)
    throw new BotwrightError(
      'ERR_DEFINITION',
      `hasPermission: there is no permission "${permission}"; did you mean "${near}"?`,
    )
  return inServer(
    guard({
      describe: `only for people with the permission ${permission}`,
      check: async (ctx) => {
        const at = memberOf(ctx)
        return at !== undefined && roleBookOf(ctx).may(at, name)
      },
      refusal: refusal ?? `Only people with the permission "${permission}" can use this.`,
    }),
  )
}

function memberOf(ctx: Context): { server_id: string; user_id: string } | undefined {
  const user_id = ctx.user.id
  return ctx.server_id === null || user_id === '' ? undefined : { server_id: ctx.server_id, user_id }
}

import { BotwrightError, permissions } from '@botwright/protocol/facts'
import { trimUnseen } from '@botwright/protocol/typed-text'
import type { Permission } from '@botwright/protocol/shapes'
import type { Context } from '../../author/context.ts'
import { didYouMean } from '../../author/did-you-mean.ts'
import { phrase } from '../../author/texts/phrase.ts'
import type { Words } from '../../author/texts/words.ts'
import { type DmGuard, type Guard, guard, type GuardOptions, type ServerGuard } from '../../author/guards/guard.ts'
import { normalPermission, roleCacheOf } from './role-cache.ts'

type Spoken<P extends string> = P extends `${infer First}_${infer Rest}` ? `${First} ${Spoken<Rest>}` : P

/** A permission by its name in §5 (`'Manage messages'`), or in roles (`'manage_messages'`, decisions row 10). */
export type PermissionName = Permission | Capitalize<Spoken<Permission>>

/** Allows only events in servers (§6: in direct messages `server_id` is null). */
export const serverOnly = ({ refusal = phrase('guard.server_only') }: GuardOptions = {}): ServerGuard =>
  inServer(
    guard({
      describe: phrase('guard.only', { rule: phrase('guard.in_servers') }),
      check: (ctx) => ctx.server_id !== null,
      refusal,
    }),
  )

const inServer = (guard: Guard): ServerGuard => ({ ...guard, where: 'server' })

/** Allows only direct messages. */
export const dmOnly = ({ refusal = phrase('guard.dm_only') }: GuardOptions = {}): DmGuard => ({
  ...guard({
    describe: phrase('guard.only', { rule: phrase('guard.in_dms') }),
    check: (ctx) => ctx.server_id === null && ctx.channel_id !== null,
    refusal,
  }),
  where: 'dm',
})

/** Allows only the account that owns this bot (§2, `bot.owner_id`). */
export const ownerOnly = ({ refusal = phrase('guard.owner_only') }: GuardOptions = {}): Guard =>
  guard({
    describe: phrase('guard.only', { rule: phrase('guard.for_owner') }),
    check: (ctx) => ctx.user.id !== '' && ctx.user.id === ctx.me.bot?.owner_id,
    refusal,
  })

/**
 * Allows only members with a role of the server, given by its id or name (in any case). Of several roles with that name, only the highest
 * counts. Refuses everyone in direct messages.
 * The roles of a member are requested from the service, and cached for 30 seconds.
 */
export function hasRole(role: string, { refusal }: GuardOptions = {}): ServerGuard {
  if (typeof role !== 'string' || trimUnseen(role).trim() === '')
    throw new BotwrightError(
      'ERR_DEFINITION',
      `hasRole: the role must be its id or name, such as hasRole('Mods'), not ${JSON.stringify(role)}`,
    )
  const refused = (name: string) => ({ refusal: refusal ?? phrase('guard.role_only', { role: name }) })
  return inServer({
    describe: phrase('guard.only', { rule: phrase('guard.for_role', { role }) }),
    counts: false,
    check: async (ctx) => {
      const at = memberOf(ctx)
      if (!at) return refused(role)
      const cache = roleCacheOf(ctx)
      const { held, name = role, problem } = await cache.hasRole(at, role)
      if (held) return true
      return problem ? { ...refused(name), warnAuthor: () => cache.warn(problem, at, role, ctx.file) } : refused(name)
    },
  })
}

/**
 * Allows only members with a role that has a permission of §5, such as `'Manage messages'`, and the owner of the server.
 * Requires a service that reports the permissions of roles, as the local one does; otherwise only the owner passes.
 */
export function hasPermission(permission: PermissionName, { refusal }: GuardOptions = {}): ServerGuard {
  const name = checkedPermission('hasPermission', permission)
  return inServer(
    guard({
      describe: phrase('guard.only', { rule: phrase('guard.for_permission', { permission }) }),
      check: async (ctx) => {
        const at = memberOf(ctx)
        return at !== undefined && roleCacheOf(ctx).may(at, name)
      },
      refusal: refusal ?? phrase('guard.permission_only', { permission }),
    }),
  )
}

/**
 * Allows only events in servers where the bot itself has a permission of §5, such as `'Timeout members'`. The refusal names the permission and a role
 * that could give it to the bot, and the log has the file and the server, once. `framework doctor` lists where the bot lacks it.
 * If the service does not report the permissions of roles, events of all servers pass, and only a call shows whether it is allowed.
 */
export function botHasPermission(permission: PermissionName, { refusal }: GuardOptions = {}): ServerGuard {
  const name = checkedPermission('botHasPermission', permission)
  return inServer({
    describe: phrase('guard.only', { rule: phrase('guard.where_bot_may', { permission }) }),
    counts: false,
    needs: [name],
    check: async (ctx) => {
      if (ctx.server_id === null) return { refusal: refusal ?? phrase('guard.server_only') }
      const at = { server_id: ctx.server_id, user_id: ctx.me.id }
      const cache = roleCacheOf(ctx)
      const found = await cache.botMay(at, name)
      if (found.may) return true
      const { own, other } = found
      return {
        refusal: refusal ?? lacking(permission, own, other),
        warnAuthor: () => cache.warnLacking(at, permission, ctx.file),
      }
    },
  })
}

function lacking(permission: string, own: string | undefined, other: string | undefined): Words {
  if (own !== undefined) return phrase('guard.bot_lacks_in_role', { permission, role: own })
  return other === undefined
    ? phrase('guard.bot_lacks', { permission })
    : phrase('guard.bot_lacks_role', { permission, role: other })
}

/** The name of a permission in roles. Another service may have more of them: only names that look misspelled are rejected. */
function checkedPermission(guard: string, permission: PermissionName): string {
  const name = normalPermission(permission)
  const near = permissions.some((known) => known === name) ? undefined : didYouMean(name, permissions)
  if (near !== undefined)
    throw new BotwrightError(
      'ERR_DEFINITION',
      `${guard}: there is no permission "${permission}"; did you mean "${near}"?`,
    )
  return name
}

function memberOf(ctx: Context): { server_id: string; user_id: string } | undefined {
  const user_id = ctx.user.id
  return ctx.server_id === null || user_id === '' ? undefined : { server_id: ctx.server_id, user_id }
}

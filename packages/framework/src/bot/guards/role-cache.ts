import { BoundedMap } from '@botwright/protocol/facts'
import { type BotServices, servicesOf } from '../services.ts'
import type { Context } from '../../author/context.ts'
import { didYouMean } from '../../author/did-you-mean.ts'
import { codeOf } from '../../author/error-code.ts'

export const normalPermission = (name: string): string => name.trim().toLowerCase().replaceAll(/\s+/g, '_')

interface MemberAt {
  server_id: string
  user_id: string
}

interface KnownRole {
  id: string
  name: string
  permissions: readonly string[] | undefined
}

/** How long answers are cached, for busy channels. */
const MEMBER_MS = 30_000
const SERVER_MS = 60_000
const MAX_CACHED = 2000
const MAX_NAMED = 5

/** The roles of members, requested from the service and cached for a short time. */
class RoleCache {
  readonly #services: BotServices
  readonly #known = new BoundedMap<string, { untilMs: number; value: Promise<unknown> }>(MAX_CACHED)
  /** A warning is logged again once so many others have been. */
  readonly #warned = new BoundedMap<string, true>(MAX_CACHED)

  constructor(services: BotServices) {
    this.#services = services
  }

  /** Whether a member has the role with this name or id, and the role's name, if there is such a role. */
  async hasRole(at: MemberAt, role: string): Promise<{ held: boolean; name?: string | undefined }> {
    const [roles, held] = await Promise.all([this.#roles(at.server_id), this.#heldBy(at)])
    const wanted = roles.filter(({ id, name }) => id === role || name.toLowerCase() === role.toLowerCase())
    const [first] = wanted
    if (!first) return { held: false }
    return { held: wanted.some(({ id }) => held.includes(id)), name: first.name || role }
  }

  /** Warns once about a role that a server does not have. Returns the fact, with the roles of the server. */
  async warnMissing({ server_id }: MemberAt, role: string, file: string): Promise<string> {
    const [roles, { name }] = await Promise.all([
      this.#roles(server_id),
      this.#server(server_id).catch(() => ({ name: undefined })),
    ])
    const names = roles.flatMap(({ name: one }) => (one === '' ? [] : [one]))
    const near = didYouMean(role, names)
    const those = names.slice(0, MAX_NAMED).join(', ')
    const list = `its roles: ${those}${names.length > MAX_NAMED ? ', …' : ''}`
    const all = names.length === 0 ? 'it has no roles: create one with that name' : list
    const meant = near === undefined ? undefined : `did you mean "${near}"?`
    const server = typeof name === 'string' && name !== '' ? `"${name}"` : server_id
    this.#warnOnce(
      `${server_id} ${role}`,
      `${file}: hasRole("${role}") lets no one through in the server ${server}, which has no such role; ${meant ?? all}`,
    )
    return `the server ${server} has no role "${role}"; ${all}${meant === undefined ? '' : `; ${meant}`}`
  }

  /** Whether one of a member's roles has a permission; the owner of a server has them all. */
  async may(at: MemberAt, permission: string): Promise<boolean> {
    const [roles, held, { owner_id }] = await Promise.all([
      this.#roles(at.server_id),
      this.#heldBy(at),
      this.#server(at.server_id),
    ])
    if (owner_id === at.user_id) return true
    if (roles.length > 0 && roles.every(({ permissions }) => permissions === undefined))
      this.#warnOnce(
        'permissions',
        'the service does not report the permissions of roles: hasPermission lets only server owners through; use hasRole',
      )
    return roles.some(({ id, permissions }) => held.includes(id) && permissions?.includes(permission) === true)
  }

  #roles(server_id: string): Promise<KnownRole[]> {
    return this.#remember(`roles ${server_id}`, SERVER_MS, async () => {
      const { roles } = await this.#services.api.servers.roles({ server_id })
      // Only the id of a role is certain (decisions row 10).
      return (roles as unknown as Record<string, unknown>[]).map(({ id, name, permissions }) => ({
        id: String(id),
        name: typeof name === 'string' ? name : '',
        permissions: Array.isArray(permissions) ? permissions.map((one) => normalPermission(String(one))) : undefined,
      }))
    })
  }

  #heldBy({ server_id, user_id }: MemberAt): Promise<readonly string[]> {
    return this.#remember(`member ${server_id} ${user_id}`, MEMBER_MS, async () => {
      try {
        const { member } = await this.#services.api.members.get({ server_id, user_id })
        const roles = (member as { roles?: unknown }).roles
        return Array.isArray(roles) ? roles.map((role: unknown) => idOf(role)) : []
      } catch (error) {
        // A non-member (a channel webhook, a former member) has no roles.
        if (codeOf(error) === 'ERR_REFUSED' && (error as { status?: number }).status === 404) return []
        throw error
      }
    })
  }

  #server(server_id: string): Promise<{ owner_id?: unknown; name?: unknown }> {
    return this.#remember(`server ${server_id}`, SERVER_MS, async () => {
      // Only the id of a server is certain (decisions row 9).
      const { owner_id, name } = (await this.#services.api.servers.get({ server_id })).server
      return { owner_id, name }
    })
  }

  #remember<T>(key: string, forMs: number, ask: () => Promise<T>): Promise<T> {
    const nowMs = this.#services.clock.monotonic()
    const known = this.#known.get(key)
    if (known && known.untilMs > nowMs) return known.value as Promise<T>
    const value = ask()
    this.#known.set(key, { untilMs: nowMs + forMs, value })
    // A failed request is repeated by the next caller.
    value.catch(() => {
      if (this.#known.get(key)?.value === value) this.#known.delete(key)
    })
    return value
  }

  #warnOnce(key: string, message: string): void {
    if (this.#warned.has(key)) return
    this.#warned.set(key, true)
    this.#services.log.warn({}, message)
  }
}

const idOf = (role: unknown): string =>
  typeof role === 'object' && role !== null && 'id' in role ? String(role.id) : String(role)

const caches = new WeakMap<BotServices, RoleCache>()

/** The role cache of the bot that a context belongs to. */
export function roleCacheOf(ctx: Context): RoleCache {
  const services = servicesOf(ctx)
  let cache = caches.get(services)
  if (!cache) caches.set(services, (cache = new RoleCache(services)))
  return cache
}

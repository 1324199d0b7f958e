import { BoundedMap, isId } from '@botwright/protocol/facts'
import { foldName } from '@botwright/protocol/typed-text'
import { type BotServices, servicesOf } from '../../bot/services.ts'
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
  /** A role with a greater position is higher (decisions row 36). NaN if the service does not report it. */
  position: number
  permissions: readonly string[] | undefined
}

/** Whether the bot has a permission; otherwise the names of a role of its own, and of another role that gives the permission. */
type BotMay = { may: true } | { may: false; own?: string; other?: string }

/** Why a role lets no one through, or not all members with a role of its name. */
type RoleProblem = 'missing' | 'namesakes' | 'unranked'

/** How long answers are cached, for busy channels. */
const MEMBER_MS = 30_000
const SERVER_MS = 60_000
/** How long the bot is refused without a new request: a person may just have given it the permission. */
const LACKING_MS = 5000
const MAX_CACHED = 2000
const MAX_NAMED = 5

/** The roles of members, requested from the service and cached for a short time. */
class RoleCache {
  readonly #services: BotServices
  readonly #known = new BoundedMap<string, { askedMs: number; value: Promise<unknown> }>(MAX_CACHED)
  /** A warning is logged again once so many others have been. */
  readonly #warned = new BoundedMap<string, true>(MAX_CACHED)

  constructor(services: BotServices) {
    this.#services = services
  }

  /** Whether a member has the role with this id or name; otherwise its name and the problem with it, if any. */
  async hasRole(at: MemberAt, role: string): Promise<{ held: boolean; name?: string; problem?: RoleProblem }> {
    const [roles, held] = await Promise.all([this.#roles(at.server_id), this.#heldBy(at)])
    const named = rolesCalled(role, roles)
    const counted = highestOf(named)
    const holds = (some: readonly KnownRole[]) => some.some(({ id }) => held.includes(id))
    if (holds(counted)) return { held: true }
    const [first] = named
    if (!first) return { held: false, problem: 'missing' }
    const refused = { held: false, name: first.name || role }
    if (!holds(named)) return refused
    return { ...refused, problem: counted.length > 0 ? 'namesakes' : 'unranked' }
  }

  /** Warns once about the problem with a role. Returns the fact. */
  async warn(problem: RoleProblem, { server_id }: MemberAt, role: string, file: string): Promise<string> {
    const [roles, server] = await Promise.all([this.#roles(server_id), this.#serverName(server_id)])
    const warnOnce = (message: string) =>
      this.#warnOnce(`${server_id} ${role}`, `${file}: hasRole("${role}")${message}`)
    if (problem !== 'missing') {
      const which =
        problem === 'namesakes' ? 'only the highest counts' : 'none counts: the service does not report their positions'
      const fact = `${server} has ${rolesCalled(role, roles).length} roles with this name, and ${which}`
      warnOnce(`: ${fact}; pass the id of the role instead`)
      return fact
    }
    const names = roles.flatMap(({ name: one }) => (one === '' ? [] : [one]))
    const near = didYouMean(role, names)
    const those = names.slice(0, MAX_NAMED).join(', ')
    const list = `its roles: ${those}${names.length > MAX_NAMED ? ', …' : ''}`
    const all = names.length === 0 ? 'it has no roles: create one with that name' : list
    const meant = near === undefined ? undefined : `did you mean "${near}"?`
    warnOnce(` lets no one through in ${server}, which has no such role; ${meant ?? all}`)
    return `${server} has no role "${role}"; ${all}${meant === undefined ? '' : `; ${meant}`}`
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

  /** Whether the bot has a permission; otherwise the name of a role that gives it, and whether that is a role of the bot. */
  async botMay(at: MemberAt, permission: string): Promise<BotMay> {
    const known = await this.#botMay(at, permission)
    return known.may ? known : this.#botMay(at, permission, LACKING_MS)
  }

  async #botMay(at: MemberAt, permission: string, newerThanMs?: number): Promise<BotMay> {
    const [roles, held] = await Promise.all([this.#roles(at.server_id, newerThanMs), this.#heldBy(at, newerThanMs)])
    const gives = (role: KnownRole) => role.permissions?.includes(permission) === true
    const own = roles.filter(({ id }) => held.includes(id))
    // If the service does not report permissions, only a call shows whether it is allowed.
    const unreported = roles.length > 0 && roles.every(({ permissions }) => permissions === undefined)
    if (unreported || own.some(gives)) return { may: true }
    const named = (some: readonly KnownRole[]) =>
      some.filter(({ name }) => name !== '').toSorted((a, b) => a.position - b.position)
    const [ownName, otherName] = [named(own).at(-1)?.name, named(roles.filter(gives))[0]?.name]
    return {
      may: false,
      ...(ownName !== undefined && { own: ownName }),
      ...(otherName !== undefined && { other: otherName }),
    }
  }

  /** Warns once that the bot lacks a permission in a server. Returns the fact. */
  async warnLacking({ server_id }: MemberAt, permission: string, file: string): Promise<string> {
    const fact = `the bot lacks the permission "${permission}" in ${await this.#serverName(server_id)}`
    this.#warnOnce(`${server_id} lacking ${permission}`, `${file}: ${fact}; give it a role with this permission`)
    return fact
  }

  #roles(server_id: string, newerThanMs = SERVER_MS): Promise<KnownRole[]> {
    return this.#remember(`roles ${server_id}`, newerThanMs, async () => {
      const { roles } = await this.#services.api.servers.roles({ server_id })
      // Only the id of a role is certain (decisions row 10).
      return (roles as unknown as Record<string, unknown>[]).map(({ id, name, position, permissions }) => ({
        id: String(id),
        name: typeof name === 'string' ? name : '',
        position: typeof position === 'number' ? position : NaN,
        permissions: Array.isArray(permissions) ? permissions.map((one) => normalPermission(String(one))) : undefined,
      }))
    })
  }

  #heldBy({ server_id, user_id }: MemberAt, newerThanMs = MEMBER_MS): Promise<readonly string[]> {
    return this.#remember(`member ${server_id} ${user_id}`, newerThanMs, async () => {
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

  async #serverName(server_id: string): Promise<string> {
    const { name } = await this.#server(server_id).catch(() => ({ name: undefined }))
    return `the server ${typeof name === 'string' && name !== '' ? `"${name}"` : server_id}`
  }

  /** An answer that is newer than `newerThanMs`, from the cache or requested. */
  #remember<T>(key: string, newerThanMs: number, ask: () => Promise<T>): Promise<T> {
    const nowMs = this.#services.clock.monotonic()
    const known = this.#known.get(key)
    if (known && nowMs - known.askedMs < newerThanMs) return known.value as Promise<T>
    const value = ask()
    this.#known.set(key, { askedMs: nowMs, value })
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

/** The roles with this id or name. The name of a role may be the id of another one. */
function rolesCalled(role: string, roles: readonly KnownRole[]): KnownRole[] {
  const wanted = role.toLowerCase()
  if (isId(role)) return roles.filter(({ id }) => id.toLowerCase() === wanted)
  return roles.filter(({ id, name }) => id === role || foldName(name) === foldName(role))
}

/**
 * The roles that count, of those with one name. Members who manage roles can create one with any name, but only below their own highest role, and
 * can also take all other roles below it (decisions row 36). None if their positions are unknown.
 */
function highestOf(roles: readonly KnownRole[]): readonly KnownRole[] {
  if (roles.length < 2) return roles
  const top = Math.max(...roles.map(({ position }) => position))
  return roles.filter(({ position }) => position === top)
}

const idOf = (role: unknown): string =>
  typeof role === 'object' && role !== null && 'id' in role ? String(role.id) : String(role)

const caches = new WeakMap<BotServices, RoleCache>()

/** The role cache of the bot that a context belongs to. */
export function roleCacheOf(ctx: Context): Pick<RoleCache, 'hasRole' | 'may' | 'warn' | 'botMay' | 'warnLacking'> {
  const services = servicesOf(ctx)
  if (!services.run) return cacheOf(services)
  const { bot, record } = services.run
  const cache = cacheOf(bot)
  return {
    hasRole: (at, role) => record(`role ${role}`, () => cache.hasRole(at, role)),
    may: (at, permission) => record(`permission ${permission}`, () => cache.may(at, permission)),
    botMay: (at, permission) => record(`permission of the bot ${permission}`, () => cache.botMay(at, permission)),
    warnLacking: (at, permission, file) =>
      record(`warning ${permission}`, () => cache.warnLacking(at, permission, file)),
    warn: (problem, at, role, file) => record(`warning ${role}`, () => cache.warn(problem, at, role, file)),
  }
}

function cacheOf(services: BotServices): RoleCache {
  let cache = caches.get(services)
  if (!cache) caches.set(services, (cache = new RoleCache(services)))
  return cache
}

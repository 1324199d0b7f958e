import type { Clock, Timer } from '@botwright/clock'
import type { Call } from '@botwright/rest'
import type { Log, StateStore } from '../../author/ports.ts'

/** The channels and permissions of a bot in a server, as they are stored. */
interface Access {
  name: string
  /** The names of the channels by id. */
  channels: Record<string, string>
  permissions: string[]
}

/** Access that a bot has lost in a server, in words, and when that was noticed. */
export interface LostAccess {
  server: string
  lost: string[]
  atMs: number
}

interface Stored {
  servers: Record<string, Access>
  lost: Record<string, LostAccess>
}

const KEY = 'access:servers'
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** Of so many servers the access is compared. */
const MOST_SERVERS = 100
/** So many lost channels have their names in a line. */
const MOST_NAMES = 5

/** Compares, at the start and once a day, what a bot can see and do in each of its servers with the time before. */
export class AccessWatch implements Disposable {
  readonly #options: { call: Call; me: string; store: StateStore; clock: Clock; log: Log }
  #timer: Timer | undefined
  #lost: LostAccess[] = []
  #ended = false

  constructor(options: { call: Call; me: string; store: StateStore; clock: Clock; log: Log }) {
    this.#options = options
  }

  /** The losses of the last day. */
  get lost(): readonly LostAccess[] {
    return this.#lost
  }

  /** Looks now, and then once a day; again in an hour if the service or the store does not respond. Never rejects. */
  async watch(): Promise<void> {
    const { clock, log } = this.#options
    const isComplete = await this.#look().catch((error: unknown) => {
      log.debug({ error }, `the access in the servers was not compared: ${(error as Error).message}`)
      return false
    })
    if (!this.#ended) this.#timer = clock.after(isComplete ? DAY_MS : HOUR_MS, () => void this.watch())
  }

  [Symbol.dispose](): void {
    this.#ended = true
    this.#timer?.cancel()
  }

  /** Returns whether every server has answered. */
  async #look(): Promise<boolean> {
    const { call, clock, log, store } = this.#options
    const stored = (await store.get(KEY))?.value as Stored | undefined
    const { servers } = await call('servers.list', {})
    const now: Stored = { servers: {}, lost: {} }
    let isComplete = true
    for (const { id, name } of servers.slice(0, MOST_SERVERS)) {
      const former = stored?.servers[id]
      // One server without an answer does not hide the losses in the others.
      const access = await this.#accessOf(id, name).catch((error: unknown) => {
        isComplete = false
        log.debug(
          { error, server: id },
          `the access in the server "${name}" was not compared: ${(error as Error).message}`,
        )
        return former
      })
      if (access) now.servers[id] = access
    }
    for (const [id, former] of Object.entries(stored?.servers ?? {})) {
      const access = now.servers[id]
      // Of a server beyond the limit nothing is known.
      if (!access && servers.some((server) => server.id === id)) continue
      const lost = access ? shrunk(former, access) : ['the whole server']
      const known = stored?.lost?.[id]
      if (lost.length > 0) {
        now.lost[id] = { server: former.name, lost, atMs: clock.now() }
        log.warn({ server: id }, `in the server "${former.name}" the bot has lost ${lost.join(', ')}; ${fix}`)
      } else if (known && known.atMs > clock.now() - DAY_MS) now.lost[id] = known
    }
    this.#lost = Object.values(now.lost)
    await store.set(KEY, now, {})
    return isComplete
  }

  async #accessOf(server_id: string, name: string): Promise<Access> {
    const { call, me } = this.#options
    const { channels } = await call('channels.listOfServer', { server_id })
    const { roles } = await call('servers.roles', { server_id })
    const { member } = await call('members.get', { server_id, user_id: me })
    const own = new Set<unknown>(member.roles ?? [])
    const permissions = roles.flatMap((role) => (own.has(role.id) ? permissionsOf(role) : []))
    return {
      name,
      channels: Object.fromEntries(channels.map((channel) => [channel.id, channel.name])),
      permissions: [...new Set(permissions)].sort(),
    }
  }
}

const fix = 'ask a manager of the server to give its role or channel back, unless that was intended'

/** Not every service reports the permissions of roles. */
const permissionsOf = ({ permissions }: { permissions?: unknown }): string[] =>
  Array.isArray(permissions) ? permissions.map(String) : []

function shrunk(former: Access, now: Access): string[] {
  const channels = Object.entries(former.channels).filter(([id]) => !(id in now.channels))
  const names = channels.slice(0, MOST_NAMES).map(([, name]) => `the channel #${name}`)
  const more = channels.length > MOST_NAMES ? [`${channels.length - MOST_NAMES} more channels`] : []
  const permissions = former.permissions.filter((permission) => !now.permissions.includes(permission))
  return [...names, ...more, ...permissions.map((permission) => `the permission ${permission}`)]
}

import type { Clock, Timer } from '@botwright/clock'
import type { Call } from '@botwright/rest'
import type { Log, StateStore } from '../../author/ports.ts'
import { accessKey, lossesOf, lossTexts, readAccess, type StoredAccess } from './access.ts'

/** Access that a bot has lost in a server within the last day, in words. */
export interface LostAccess {
  server: string
  lost: string[]
}

/** A server with what the bot can see and do there. */
export interface ServerView {
  id: string
  name: string
  /** The number of channels that the bot can see. */
  channels: number
  roles: string[]
  permissions: string[]
  /** Its losses within the last day. */
  lost: string[]
  /** The time of the last loss. */
  lost_at: string | null
}

interface AccessOptions {
  call: Call
  me: string
  store: StateStore
  clock: Clock
  log: Log
  /** In a cluster, only the leader asks the service; the others read what it has stored. */
  leads?: () => boolean
}

const HOUR_MS = 3_600_000
/** A look that failed is repeated after this time, and so are those of instances that do not lead. */
const AGAIN_MS = 300_000
/** Of so many servers the access is compared. */
const MOST_SERVERS = 100

/** Compares, at the start and every hour, what a bot can see and do in each of its servers with the last look. A loss is reported for a day. */
export class AccessWatch implements Disposable {
  readonly #options: AccessOptions
  #timer: Timer | undefined
  #stored: StoredAccess | undefined
  #ended = false

  constructor(options: AccessOptions) {
    this.#options = options
  }

  /** The losses of the last day. */
  get lost(): readonly LostAccess[] {
    return Object.values(this.#stored?.lost ?? {}).map(({ name, losses }) => ({
      server: name,
      lost: lossTexts(losses),
    }))
  }

  /** The servers as of the last look, those with losses first. Null before it. */
  get servers(): ServerView[] | null {
    const stored = this.#stored
    return stored ? viewsOf(stored) : null
  }

  /** Looks now, and then every hour. Never rejects. */
  async watch(): Promise<void> {
    const { clock, log } = this.#options
    const isDone = await this.#look().catch((error: unknown) => {
      log.debug({ error }, `the access in the servers was not compared: ${(error as Error).message}`)
      return false
    })
    if (!this.#ended) this.#timer = clock.after(isDone ? HOUR_MS : AGAIN_MS, () => void this.watch())
  }

  [Symbol.dispose](): void {
    this.#ended = true
    this.#timer?.cancel()
  }

  /** Whether all servers were compared. */
  async #look(): Promise<boolean> {
    const { call, clock, leads, log, me, store } = this.#options
    const stored = (await store.get(accessKey))?.value as StoredAccess | undefined
    this.#stored = stored
    if (leads?.() === false) return false
    const { servers } = await call('servers.list', {})
    const now: StoredAccess = { servers: {}, lost: {} }
    let failed = 0
    const compared = servers.slice(0, MOST_SERVERS)
    for (const { id, name } of compared) {
      const access = await readAccess(call, { id, name }, { me }).catch((error: unknown) => {
        failed++
        const reason = (error as Error).message
        log.debug({ error, server: id }, `the access in the server "${name}" was not compared: ${reason}`)
        return stored?.servers[id]
      })
      if (access) now.servers[id] = access
    }
    const isMember = new Set(servers.map(({ id }) => id))
    const ids = new Set([...Object.keys(stored?.servers ?? {}), ...Object.keys(stored?.lost ?? {})])
    for (const id of ids) {
      const access = now.servers[id]
      // Of a server beyond the limit nothing is known.
      if (!access && isMember.has(id)) continue
      const { losses, added } = lossesOf(id, { stored, access, nowMs: clock.now() })
      const name = access?.name ?? stored!.servers[id]?.name ?? stored!.lost[id]!.name
      if (losses.length > 0) now.lost[id] = { name, losses }
      if (added.length === 0) continue
      const fix = 'ask a manager of the server to give its role or channel back, unless that was intended'
      log.warn({ server: id }, `in the server "${name}" the bot has lost ${lossTexts(added).join(', ')}; ${fix}`)
    }
    await store.set(accessKey, now, {})
    this.#stored = now
    return failed === 0
  }
}

/** The stored servers, those with losses first. */
function viewsOf({ servers, lost }: StoredAccess): ServerView[] {
  const ids = new Set([...Object.keys(lost), ...Object.keys(servers)])
  return [...ids].map((id) => {
    const access = servers[id]
    const losses = lost[id]?.losses ?? []
    return {
      id,
      name: access?.name ?? lost[id]?.name ?? id,
      channels: Object.keys(access?.channels ?? {}).length,
      roles: Object.values(access?.roles ?? {}),
      permissions: access?.permissions ?? [],
      lost: lossTexts(losses),
      lost_at: losses.length > 0 ? new Date(Math.max(...losses.map(({ atMs }) => atMs))).toISOString() : null,
    }
  })
}

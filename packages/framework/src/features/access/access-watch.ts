import type { Clock, Timer } from '@botwright/clock'
import type { Call } from '@botwright/rest'
import type { Log, StateStore } from '../../author/ports.ts'
import { accessKey, lossesOf, lossTexts, nameOf, readAccess, type StoredAccess } from './access.ts'

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

interface Server {
  id: string
  name: string
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
  /** The servers whose access could not be read. */
  #failed: ReadonlySet<string> = new Set()
  /** When all are due again (monotonic). */
  #dueMs = -Infinity
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

  /** Looks now, and then every hour; sooner at the servers that could not be read. Never rejects. */
  async watch(): Promise<void> {
    const { clock, log } = this.#options
    const isDone = await this.#look().catch((error: unknown) => {
      log.debug({ error }, `the access in the servers was not compared: ${(error as Error).message}`)
      return false
    })
    const waitMs = isDone ? Math.max(0, this.#dueMs - clock.monotonic()) : AGAIN_MS
    if (!this.#ended) this.#timer = clock.after(waitMs, () => void this.watch())
  }

  [Symbol.dispose](): void {
    this.#ended = true
    this.#timer?.cancel()
  }

  /** Whether all servers were compared. */
  async #look(): Promise<boolean> {
    const { call, clock, leads, store } = this.#options
    const beganMs = clock.monotonic()
    const stored = (await store.get(accessKey))?.value as StoredAccess | undefined
    this.#stored = stored
    if (leads?.() === false) {
      // Another instance leads meanwhile: this one then begins with all servers.
      this.#dueMs = -Infinity
      return false
    }
    const { servers } = await call('servers.list', {})
    const isWhole = beganMs >= this.#dueMs
    const { access, failed } = await this.#read(servers, stored, isWhole)
    const { now, lines } = this.#compare(servers, stored, access)
    await store.set(accessKey, now, {})
    // Not before: without the write, the next look finds the same losses.
    for (const { server, text } of lines) this.#options.log.warn({ server }, text)
    this.#stored = now
    this.#failed = failed
    if (isWhole) this.#dueMs = beganMs + HOUR_MS
    return failed.size === 0
  }

  /** The access in each server: now, or as of the last look, for those that are not due or cannot be read. */
  async #read(servers: readonly Server[], stored: StoredAccess | undefined, isWhole: boolean) {
    const { call, log, me } = this.#options
    const access: StoredAccess['servers'] = {}
    const failed = new Set<string>()
    for (const { id, name } of servers.slice(0, MOST_SERVERS)) {
      const former = stored?.servers[id]
      const isDue = isWhole || !former || this.#failed.has(id)
      const read = async () => (isDue ? readAccess(call, { id, name }, { me }) : former)
      const found = await read().catch((error: unknown) => {
        failed.add(id)
        const reason = (error as Error).message
        log.debug(
          { error, server: id },
          `the access in the server "${nameOf({ id, name })}" was not compared: ${reason}`,
        )
        return former
      })
      if (found) access[id] = found
    }
    return { access, failed }
  }

  /** The losses since the last look, and a line for each server that has some. */
  #compare(servers: readonly Server[], stored: StoredAccess | undefined, access: StoredAccess['servers']) {
    const { clock } = this.#options
    const now: StoredAccess = { servers: access, lost: {} }
    const lines: { server: string; text: string }[] = []
    const isMember = new Set(servers.map(({ id }) => id))
    for (const id of new Set([...Object.keys(stored?.servers ?? {}), ...Object.keys(stored?.lost ?? {})])) {
      const own = access[id]
      // Of a server beyond the limit nothing is known.
      if (!own && isMember.has(id)) continue
      const { losses, added } = lossesOf(id, { stored, access: own, nowMs: clock.now() })
      const name = own?.name ?? stored?.servers[id]?.name ?? stored?.lost[id]?.name ?? id
      if (losses.length > 0) now.lost[id] = { name, losses }
      if (added.length === 0) continue
      const fix = 'ask a manager of the server to give its role or channel back, unless that was intended'
      lines.push({
        server: id,
        text: `in the server "${name}" the bot has lost ${lossTexts(added).join(', ')}; ${fix}`,
      })
    }
    return { now, lines }
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

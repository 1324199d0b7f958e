import type { Duties } from '@botwright/framework/cluster'
import { assign, type Ownership, type Standing } from '../../protocol/ownership.ts'
import { bestEffort } from '../redis/best-effort.ts'
import { Election, LEADER_LEASE_MS, LEADER_MARGIN_MS } from './election.ts'
import type { Forwards } from '../events/forwards.ts'
import { redisLease } from './lease.ts'
import { notices, numberOf } from '../redis/from-redis.ts'
import { readNotes } from './membership.ts'
import { readOwnership } from '../events/ownership-store.ts'
import { applyAssignments, savePosition } from '../events/protocol-scripts.ts'
import { isFull } from '../redis/reasons.ts'
import type { Position } from '../events/journal.ts'
import { run, script } from '../redis/scripts.ts'
import { readPosition } from './status.ts'
import { type LeaderParts, RedisTerm } from './term.ts'
import { wait } from '../redis/wait.ts'

export interface LeadershipOptions extends LeaderParts {
  forwards: Forwards
  me: () => string
  eligible: () => boolean
  /** Asks Redis whether it still knows this instance. */
  known: () => Promise<boolean>
}

/** The leader looks for instances that are gone, and for webhook copies whose message was lost. */
const SWEEP_MS = 1000
/** How long an instance has to stop its handlers after the end of its lease, before others run its events. */
const GRACE_MS = 500
/** An instance that could not begin to lead lets others try. */
const AFTER_FAILURE_MS = 1000

/**
 * KEYS: the instances, the dead-letter list, the webhook copies, leases. ARGV: the instances of these leases. Returns the notes, the number of dead
 * letters, the ids of the copies, and for each lease how long it lasts (negative: it has ended).
 */
const sweep = script<[notes: string[], setAside: number, copies: string[], leases: number[]]>(
  'leader-sweep',
  `
local leases = {}
for n = 4, #KEYS do
  if redis.call('GET', KEYS[n]) == ARGV[n - 3] then leases[n - 3] = redis.call('PTTL', KEYS[n]) else leases[n - 3] = -2 end
end
return { redis.call('HGETALL', KEYS[1]), redis.call('HLEN', KEYS[2]), redis.call('HKEYS', KEYS[3]), leases }`,
)

/** The work of this instance when it is elected. */
export class Leadership {
  readonly #o: LeadershipOptions
  readonly #election: Election
  readonly #unhear: (() => void)[] = []
  #duties: Duties | undefined
  #term: RedisTerm | undefined
  #asideCount = 0
  #latest = 0
  #position: Position | undefined
  /** The instances of the last look. */
  #ids: readonly string[] = []
  /** Since when (monotonic) the lease of an instance has ended. */
  readonly #expired = new Map<string, number>()
  readonly #logged = new Set<string>()
  /** The owners must be looked at again. */
  #dirty = true
  #looking = false
  #timer: { cancel(): void } | undefined

  constructor(options: LeadershipOptions) {
    this.#o = options
    const { link, keys, clock, me, eligible } = options
    this.#election = new Election({
      lease: redisLease({
        redis: link.redis,
        key: keys.leader,
        counter: keys.terms,
        holder: me,
        clock,
        leaseMs: LEADER_LEASE_MS,
        marginMs: LEADER_MARGIN_MS,
      }),
      clock,
      refused: (error) => this.#o.failed(error),
      random: Math.random,
      eligible,
      elected: (number) => void this.#begin(number),
      deposed: () => this.#end(),
    })
  }

  get leads(): boolean {
    return this.#election.leads
  }

  /** The position of the feed that this instance read last. */
  get position(): Position | undefined {
    return this.#position
  }

  know(position: Position): void {
    const term = this.#term
    // Only the leader saves the position, and a newer leader's would have ended this term.
    if (term && !term.signal.aborted && term.isPast(position)) {
      this.#o.link.malformed(
        'position of the feed',
        `${position.after} is ahead of the leader's position; the leader saves its own again`,
      )
      return term.saveAgain()
    }
    const { era = -1, after = -1 } = this.#position ?? {}
    if (position.era > era || (position.era === era && position.after > after)) this.#position = position
  }

  /** Instances or owners have changed. */
  changed(): void {
    this.#dirty = true
    if (this.#term && !this.#looking) this.#lookIn(0)
  }

  async open(duties: Duties): Promise<void> {
    const { link, keys } = this.#o
    this.#duties = duties
    this.#election.stand()
    this.#unhear.push(
      await link.hear(keys.channel('resigned'), notices.plain, () => this.#election.nudge()),
      await link.hear(keys.channel('wake'), notices.topic, (topic) => this.#term && duties.woken(topic)),
      // Redis may have lost what was written last: the next leader reads the position of the feed again.
      link.watch({ back: ({ sameServer }) => void (sameServer || this.#resign()) }),
    )
  }

  /** This instance's own lease has ended. */
  drop(): void {
    this.#election.drop()
  }

  /** Leads no longer, and is no longer a candidate. */
  async withdraw(): Promise<void> {
    await this.#term?.resign()
    await this.#election.resign({ withdraw: true })
    for (const unhear of this.#unhear.splice(0)) unhear()
  }

  async #begin(number: number): Promise<void> {
    const { clock, log, leaderConnection } = this.#o
    try {
      this.#latest = number
      await leaderConnection.ready()
      const server = await leaderConnection.server()
      const position = (await readPosition(this.#o, leaderConnection.redis)) ?? (await this.#remembered(number))
      if (position) this.know(position)
      if (!this.#election.leads || this.#latest !== number) return
      const term = new RedisTerm({
        ...this.#o,
        number,
        server,
        position,
        countSetAside: () => this.#asideCount,
        check: () => this.#election.check(),
        resign: () => this.#resign(),
        saved: (saved) => (this.#position = saved),
      })
      this.#term = term
      this.#expired.clear()
      this.#ids = []
      this.changed()
      await this.#duties!.lead(term)
    } catch (error) {
      if (this.#election.leads)
        log.error({ error, term: number }, `this instance could not become the leader: ${(error as Error).message}`)
      await wait(clock, AFTER_FAILURE_MS)
      if (this.#latest === number) await this.#resign()
    }
  }

  /** If Redis has lost the position, this instance knows the last one. */
  async #remembered(number: number): Promise<Position | undefined> {
    const { keys, leaderConnection, known } = this.#o
    const position = this.#position
    if (!position) return undefined
    // Redis has lost everything: this instance joins again before anything is published.
    if (!(await known())) throw new Error('Redis has lost its data')
    await savePosition(leaderConnection.redis, keys, { term: number, number: 1, ...position, reset: false })
    return position
  }

  async #resign(): Promise<void> {
    await this.#election.resign({ withdraw: false })
    const { link, keys } = this.#o
    await bestEffort(link.redis.publish(keys.channel('resigned'), ''))
  }

  #end(): void {
    this.#term?.end()
    this.#term = undefined
    this.#timer?.cancel()
  }

  #lookIn(ms: number): void {
    this.#timer?.cancel()
    this.#timer = this.#o.clock.after(ms, () => void this.#look())
  }

  async #look(): Promise<void> {
    const term = this.#term
    if (!term || term.signal.aborted || this.#looking) return
    this.#looking = true
    let nextMs = SWEEP_MS
    try {
      nextMs = await this.#sweep(term)
    } catch (error) {
      const { link, log } = this.#o
      if (isFull(error)) this.#o.failed(error)
      else if (link.awaySinceMs === undefined && !term.signal.aborted)
        log.warn({ error }, `lost instances could not be removed: ${(error as Error).message}`)
      this.#dirty = true
      nextMs = GRACE_MS
    }
    this.#looking = false
    this.#lookIn(nextMs)
  }

  /** Resolves with how long the next look may wait. */
  async #sweep(term: RedisTerm): Promise<number> {
    const { link, keys, clock, forwards } = this.#o
    const ids = this.#ids
    const leaseKeys = ids.map((id) => keys.member(numberOf(id)))
    const [flat, asideCount, copies, leases] = await run(
      link.redis,
      sweep,
      [keys.instances, keys.setAside, keys.offers, ...leaseKeys],
      ids,
    )
    if (term.signal.aborted) return 0
    this.#asideCount = asideCount
    term.takeCopies(copies)
    const notes = readNotes(link, Object.fromEntries(pairs(flat)))
    const leftMs = new Map(ids.map((id, at) => [id, leases[at]!]))
    const now = clock.monotonic()
    const standings = new Map<string, Standing>()
    for (const { id, left, leaving } of notes) {
      const ms = leftMs.get(id) ?? 0
      // One that was not looked at before has just joined.
      if (ms >= 0 && !left) {
        this.#expired.delete(id)
        standings.set(id, leaving ? 'leaving' : 'active')
        continue
      }
      if (!this.#expired.has(id)) this.#expired.set(id, now)
      standings.set(id, left || now - this.#expired.get(id)! >= GRACE_MS ? 'gone' : 'expired')
    }
    for (const id of this.#expired.keys()) if (!standings.has(id)) this.#expired.delete(id)
    const isNew = notes.length !== ids.length || notes.some(({ id }) => !leftMs.has(id))
    this.#ids = notes.map(({ id }) => id)
    const gone = notes.filter(({ id }) => standings.get(id) === 'gone')
    if (this.#dirty || isNew || gone.length > 0) {
      this.#dirty = false
      const ownership = await readOwnership(link, keys)
      const crashed = gone.filter(({ id, left }) => !left && !this.#logged.has(id))
      if (crashed.length > 0)
        await this.#logGone(
          crashed.map(({ id }) => id),
          ownership,
        )
      await this.#assign(term, ownership, standings)
    }
    if (gone.length > 0) {
      const goneIds = gone.map(({ id }) => id)
      await forwards.drop(new Set(goneIds))
      await this.#duties!.gone(goneIds)
      // Last: if this leader dies before, the next one does it again.
      if (term.signal.aborted) return 0
      await Promise.all([link.redis.hdel(keys.instances, ...goneIds), link.redis.hdel(keys.writes, ...goneIds)])
      for (const id of goneIds) this.#logged.delete(id)
    }
    if (this.#dirty) return 0
    const waits = [...standings].flatMap(([id, standing]) => {
      const ms = leftMs.get(id)
      return standing === 'expired' ? [GRACE_MS] : ms === undefined ? [GRACE_MS] : ms >= 0 ? [ms + 5] : []
    })
    return Math.min(SWEEP_MS, ...waits)
  }

  async #assign(term: RedisTerm, ownership: Ownership, standings: ReadonlyMap<string, Standing>): Promise<void> {
    const { leaderConnection, keys, partitions } = this.#o
    const changes = assign(ownership, partitions(), standings)
    if (changes.length === 0) return
    if ((await applyAssignments(leaderConnection.redis, keys, { term: term.number, changes })) < 0) term.lost()
  }

  async #logGone(ids: readonly string[], { owners }: Ownership): Promise<void> {
    const { link, keys, log } = this.#o
    for (const id of ids) {
      const own = [...owners].flatMap(([partition, { instance }]) => (instance === id ? [partition] : []))
      const counts = await Promise.all(own.map((partition) => link.redis.hlen(keys.begun(partition))))
      const events = counts.reduce((sum, count) => sum + count, 0)
      this.#logged.add(id)
      const again =
        events === 0
          ? 'it was running no event'
          : `${events} ${events === 1 ? 'event that it was running runs' : 'events that it was running run'} again on other instances`
      log.warn({ instance: id, events }, `${id} is gone: it crashed, or lost its connection; ${again}`)
    }
  }
}

function pairs(flat: readonly string[]): [string, string][] {
  const found: [string, string][] = []
  for (let at = 0; at + 1 < flat.length; at += 2) found.push([flat[at]!, flat[at + 1]!])
  return found
}

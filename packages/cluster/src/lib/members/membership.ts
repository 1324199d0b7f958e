import { hostname } from 'node:os'
import { randomBytes } from 'node:crypto'
import type * as z from 'zod'
import { BotwrightError, type Clock, type Log } from '@botwright/framework/cluster'
import { bestEffort } from '../redis/best-effort.ts'
import { isAnswer, type RedisLink } from '../redis/connect.ts'
import { LeaseClock } from './lease-clock.ts'
import { check, checkJson, instanceId, noteSchema, numberOf, positionSchema } from '../redis/from-redis.ts'
import type { Position } from '../events/journal.ts'
import type { Location } from '../redis/location.ts'
import { nextTurn, WAKE, wake } from '../events/protocol-scripts.ts'
import { run, script } from '../redis/scripts.ts'
import { wait, within } from '../redis/wait.ts'

/** The note that an instance publishes about itself. */
type InstanceNote = z.output<typeof noteSchema>

export interface MembershipOptions extends Location {
  clock: Clock
  log: Log
  version: string
  /** The part of the note that changes. */
  facts: () => { running: number; leads: boolean }
  /** When this process joined, by the clock of Redis. */
  sinceMs: number
  /** The next turn of a click, by the clock of Redis; -1: there is none. */
  turn: (turnAtMs: number) => void
  /** Nothing may run on here: the lease was over, or Redis knows nothing of it (`forgotten`). Resolves when nothing does. */
  lost: (forgotten: boolean) => Promise<void>
  /** Reads the settings that all instances share, which cannot change from now on. Not joined before it resolves. */
  agree: () => Promise<void>
  /** Redis has lost all that it kept. */
  forgotten: () => void
  /** Where the feed stands. */
  heard: (position: Position) => void
  /** Joined again, under a new number. */
  joined: () => void
  /** The note was stored, or was refused. */
  kept: () => void
  refused: (error: unknown) => void
}

/** The leader takes over half a second after its end: by then, the instance has stopped by its own clock. */
export const MEMBER_LEASE_MS = 3000
const MARGIN_MS = 500
const RENEW_MS = 1000
const TICK_MS = 250
const ASK_AGAIN_MS = 50

/** KEYS: the lease, the instances, the layout, the changes. ARGV: id, how long, its note, a mark. Returns the mark of all that is stored. */
const join = script<string>(
  'member-join',
  `
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
redis.call('HSETNX', KEYS[3], 'birth', ARGV[4])
${WAKE('KEYS[4]')}
return redis.call('HGET', KEYS[3], 'birth')`,
)

/**
 * KEYS: the lease, the instances, the layout, the position, acks. ARGV: as above, and since when this instance has run. Returns how the lease
 * is (1: renewed, 0: it has ended, -1: with all data), the position, and the next turn of a click.
 */
const renew = script<[lease: number, after?: string, savedAtMs?: string, era?: string, turn?: number]>(
  'member-renew',
  `
if redis.call('HGET', KEYS[3], 'birth') ~= ARGV[4] then return { -1 } end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return { 0 } end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
${nextTurn('KEYS[5]', 'ARGV[5]')}
local position = redis.call('HMGET', KEYS[4], 'after', 'savedAtMs', 'era')
return { 1, position[1] or '', position[2] or '', position[3] or '0', next_turn() }`,
)

/** KEYS: the lease, the instances, the changes. ARGV: id, its note. */
const leave = script<number>(
  'member-leave',
  `
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end
${WAKE('KEYS[3]')}
return redis.call('DEL', KEYS[1])`,
)

/** This process among the instances: a number, and a lease that is reckoned on its own clock. */
export class Membership {
  readonly #o: MembershipOptions
  readonly #lease: LeaseClock
  readonly #process = `${hostname().slice(0, 40)}-${process.pid}-${randomBytes(3).toString('hex')}`
  #number = 0
  #joinedAtMs = 0
  #sentAtMs = -Infinity
  #failed = false
  #refused: unknown
  #code: string | undefined
  #birth: string | undefined
  #forgotten = false
  #losing: Promise<void> | undefined
  #left = false
  #leaving = false
  #stopTicks: (() => void) | undefined

  private constructor(options: MembershipOptions) {
    this.#o = options
    this.#lease = new LeaseClock(options.clock, MEMBER_LEASE_MS, MARGIN_MS)
  }

  static async join(options: MembershipOptions): Promise<Membership> {
    const membership = new Membership(options)
    await membership.#join()
    membership.#tick()
    return membership
  }

  /** Another one for each life: an instance that is gone stays gone. */
  get id(): string {
    return `${this.#process}.${this.#number}`
  }

  /** Is there while the lease holds: writes look at it in the same step. Undefined between two lives. */
  get fenceKey(): string | undefined {
    return this.#losing ? undefined : this.#o.keys.member(this.#number)
  }

  /** The error with which Redis refuses the lease. */
  get refused(): unknown {
    return this.#refused
  }

  /** The lease holds for certain. */
  get sure(): boolean {
    return this.#losing === undefined && this.#lease.sure
  }

  /** See `ClusterMember.fence`. */
  fence(): void | Promise<void> {
    return this.sure ? undefined : this.#findOut()
  }

  /** Other instances may own its partitions, although its lease is valid: it starts anew all the same. */
  cutOff(): void {
    this.#lose()
  }

  /** See `ClusterMember.runs`. */
  async runs(code: string): Promise<void> {
    this.#code = code
    // An instance that is cut off publishes it when it joins again.
    await this.#renew()
  }

  /** Asks Redis now whether it still knows this instance. */
  known(): Promise<boolean> {
    return this.#renew()
  }

  /** This instance finishes what it runs and takes nothing more: the leader moves its partitions. Resolves when the leader can see it. */
  async leaving(): Promise<void> {
    this.#leaving = true
    await this.#renew()
    const { link, keys } = this.#o
    await bestEffort(link.run(wake, [keys.changes]))
  }

  /** Leaves: others need not wait for the end of the lease. */
  async leave(): Promise<void> {
    this.#left = true
    this.#stopTicks?.()
    this.#lease.end()
    this.#losing ??= new Promise(() => {})
    const { link, keys } = this.#o
    const note = JSON.stringify({ ...(JSON.parse(this.#note()) as InstanceNote), left: true })
    await bestEffort(run(link.redis, leave, [keys.member(this.#number), keys.instances, keys.changes], [this.id, note]))
  }

  async #join(): Promise<void> {
    const { link, keys, clock } = this.#o
    this.#number = await link.redis.incr(keys.instanceNumbers)
    this.#joinedAtMs = clock.now()
    const sent = this.#lease.sent()
    this.#sentAtMs = -Infinity
    const birth = await run(
      link.redis,
      join,
      [keys.member(this.#number), keys.instances, keys.layout, keys.changes],
      [this.id, MEMBER_LEASE_MS, this.#note(), randomBytes(8).toString('hex')],
    )
    if (this.#birth !== undefined && this.#birth !== birth) this.#forgotten = true
    this.#birth = birth
    await this.#o.agree()
    if (this.#forgotten) this.#o.forgotten()
    this.#forgotten = false
    this.#lease.renewed(sent)
  }

  async #renew(): Promise<boolean> {
    const { link, keys, clock } = this.#o
    const { id } = this
    const sent = this.#lease.sent()
    this.#sentAtMs = clock.monotonic()
    try {
      const [lease, after, savedAtMs, era, turn] = await run(
        link.redis,
        renew,
        [keys.member(this.#number), keys.instances, keys.layout, keys.position, keys.acks],
        [id, MEMBER_LEASE_MS, this.#note(), this.#birth ?? '', this.#o.sinceMs],
      )
      this.#o.kept()
      if (id !== this.id || this.#losing) return false
      this.#failed = false
      this.#refused = undefined
      if (turn !== undefined) this.#o.turn(turn)
      if (after) {
        const { value: position } = check(positionSchema, { after, savedAtMs, era })
        // The leader logs a malformed one.
        if (position) this.#o.heard(position)
      }
      if (lease > 0) this.#lease.renewed(sent)
      else this.#lose(lease < 0)
      return lease > 0
    } catch (error) {
      this.#failed = true
      // The link logs that Redis is unavailable.
      if (isAnswer(error)) this.#isRefused(error)
      return false
    }
  }

  async #findOut(): Promise<void> {
    const { clock } = this.#o
    while (this.#losing === undefined && !this.#lease.over) {
      const holds = await within(clock, this.#lease.leftMs, this.#renew())
      if (holds && this.sure) return
      await wait(clock, ASK_AGAIN_MS)
    }
    // A fenced event must not count as done: other instances run it.
    this.#lose()
    throw new BotwrightError(
      'ERR_FENCED',
      'cluster: this instance was disconnected for too long: another may have taken over its work, so nothing was done here',
    )
  }

  #isRefused(error: unknown): void {
    this.#refused = error
    this.#o.refused(error)
  }

  #tick(): void {
    const { clock } = this.#o
    const timer = clock.after(TICK_MS, () => {
      this.#tick()
      if (this.#losing) return
      if (this.#lease.over) return this.#lose()
      if (clock.monotonic() - this.#sentAtMs >= (this.#failed ? TICK_MS : RENEW_MS)) void this.#renew()
    })
    this.#stopTicks = () => timer.cancel()
  }

  #lose(forgotten = false): void {
    if (this.#losing) return
    this.#lease.end()
    this.#losing = this.#startAnew(forgotten)
  }

  async #startAnew(forgotten: boolean): Promise<void> {
    const { lost, joined, clock, keys, log, link } = this.#o
    await lost(forgotten)
    while (!this.#left) {
      try {
        await this.#join()
        break
      } catch (error) {
        if (isAnswer(error)) this.#isRefused(error)
        await wait(clock, TICK_MS)
      }
    }
    // It left meanwhile: this life must end at once.
    if (this.#left) return void bestEffort(link.redis.del(keys.member(this.#number)))
    this.#losing = undefined
    this.#refused = undefined
    log.info({ instance: this.id }, `this instance has rejoined, at ${link.shown}`)
    joined()
  }

  #note(): string {
    const { clock, version, facts } = this.#o
    const { running, leads } = facts()
    const note: InstanceNote = {
      joinedAtMs: this.#joinedAtMs,
      seenAtMs: clock.now(),
      version,
      ...(this.#code !== undefined && { code: this.#code }),
      ...(this.#leaving && { leaving: true as const }),
      running,
      leads,
    }
    return JSON.stringify(note)
  }
}

/** All instances that have left a note, and whether their lease is there. */
export async function roll({ link, keys }: Location) {
  const notes = readNotes(link, await link.redis.hgetall(keys.instances))
  if (notes.length === 0) return []
  const holders = await link.redis.mget(notes.map(({ id }) => keys.member(numberOf(id))))
  return notes.map((note, at) => ({ ...note, lives: holders[at] === note.id }))
}

/** The notes of all instances. Malformed notes are logged and ignored. */
export function readNotes(link: RedisLink, notes: Readonly<Record<string, string>>) {
  return Object.entries(notes).flatMap(([id, text]) => {
    const { value: note, fault } = checkJson(noteSchema, text)
    if (fault === undefined && instanceId.safeParse(id).success) return [{ id, ...note }]
    link.malformed('entry in the hash "instances"', fault ?? 'its name is not the id of an instance')
    return []
  })
}

import { hostname } from 'node:os'
import { randomBytes } from 'node:crypto'
import type * as z from 'zod'
import { BotwrightError, type Clock, type Log } from '@botwright/framework/cluster'
import { bestEffort } from './best-effort.ts'
import { isAnswer } from './connect.ts'
import { Hold } from './hold.ts'
import { check, checkJson, instanceId, noteSchema, numberOf, positionSchema } from './from-redis.ts'
import type { Position } from './journal.ts'
import type { Place } from './place.ts'
import { run, script } from './scripts.ts'
import { wait, within } from './wait.ts'

/** What a machine tells of itself. */
type MachineNote = z.output<typeof noteSchema>

export interface MembershipOptions extends Place {
  clock: Clock
  log: Log
  version: string
  /** What changes while it runs. */
  facts: () => { running: number; leads: boolean }
  /** Nothing may run on here: the lease was over, or Redis knows nothing of it (`forgotten`). Resolves when nothing does. */
  lost: (forgotten: boolean) => Promise<void>
  /** Redis has lost all that it kept: makes again what machines need. Not joined before it resolves. */
  forgotten: () => Promise<void>
  /** Where the feed stands. */
  heard: (position: Position) => void
  /** Joined again, under a new number. */
  joined: () => void
  /** What this machine tells of itself was kept, or was not. */
  kept: () => void
  refused: (error: unknown) => void
}

/**
 * A queue's hold on what a machine runs is longer (5 s): by the time that others get it, this machine has stopped by its own clock.
 */
export const MEMBER_LEASE_MS = 3000
const MARGIN_MS = 500
const RENEW_MS = 1000
const TICK_MS = 250
const ASK_AGAIN_MS = 50

/** KEYS: the member's lease, the machines, the layout. ARGV: id, how long, its note, a mark. Answers the mark of all that is kept. */
const join = script<string>(
  'member-join',
  `
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
redis.call('HSETNX', KEYS[3], 'birth', ARGV[4])
return redis.call('HGET', KEYS[3], 'birth')`,
)

/**
 * KEYS: as above, and the position. Answers how many machines there are, and the position; 0 machines: the lease was over, -1: with
 * everything else.
 */
const renew = script<[machines: number, after?: string, savedAtMs?: string, era?: string]>(
  'member-renew',
  `
if redis.call('HGET', KEYS[3], 'birth') ~= ARGV[4] then return { -1 } end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return { 0 } end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local position = redis.call('HMGET', KEYS[4], 'after', 'savedAtMs', 'era')
return { redis.call('HLEN', KEYS[2]), position[1] or '', position[2] or '', position[3] or '0' }`,
)

/** KEYS: the member's lease, the machines. ARGV: id, its note. */
const leave = script<number>(
  'member-leave',
  `
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end
return redis.call('DEL', KEYS[1])`,
)

/** This process among the machines: a number, and a lease that is reckoned on its own clock. */
export class Membership {
  /** How many there are, this one included, and those of which the leader has not noticed yet that they are gone. */
  machines = 1
  readonly #o: MembershipOptions
  readonly #hold: Hold
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
  #stopTicks: (() => void) | undefined

  private constructor(options: MembershipOptions) {
    this.#o = options
    this.#hold = new Hold(options.clock, MEMBER_LEASE_MS, MARGIN_MS)
  }

  static async join(options: MembershipOptions): Promise<Membership> {
    const membership = new Membership(options)
    await membership.#join()
    membership.#tick()
    return membership
  }

  /** Another one for each life: a machine that is gone stays gone. */
  get id(): string {
    return `${this.#process}.${this.#number}`
  }

  /** Is there while the lease holds: writes look at it in the same step. Undefined between two lives. */
  get fenceKey(): string | undefined {
    return this.#losing ? undefined : this.#o.keys.member(this.#number)
  }

  /** What Redis says to the lease, where it refuses it. */
  get refused(): unknown {
    return this.#refused
  }

  /** The lease holds for certain. */
  get sure(): boolean {
    return this.#losing === undefined && this.#hold.sure
  }

  /** See `Machine.fence`. */
  fence(): void | Promise<void> {
    return this.sure ? undefined : this.#findOut()
  }

  /** What this machine holds in the queues may be over, although its lease is not: it starts anew all the same. */
  cutOff(): void {
    this.#lose()
  }

  /** See `Machine.runs`. */
  async runs(code: string): Promise<void> {
    this.#code = code
    // A machine that is cut off tells it when it joins again.
    await this.#renew()
  }

  /** Asks Redis now whether it still knows this machine. */
  known(): Promise<boolean> {
    return this.#renew()
  }

  /** Leaves: others need not wait for the end of the lease. */
  async leave(): Promise<void> {
    this.#left = true
    this.#stopTicks?.()
    this.#hold.end()
    this.#losing ??= new Promise(() => {})
    const { link, keys } = this.#o
    const note = JSON.stringify({ ...(JSON.parse(this.#note()) as MachineNote), left: true })
    await bestEffort(run(link.redis, leave, [keys.member(this.#number), keys.machines], [this.id, note]))
  }

  async #join(): Promise<void> {
    const { link, keys, clock } = this.#o
    this.#number = await link.redis.incr(keys.machineNumbers)
    this.#joinedAtMs = clock.now()
    const sent = this.#hold.sent()
    // Soon again: it tells how many machines there are.
    this.#sentAtMs = -Infinity
    const birth = await run(
      link.redis,
      join,
      [keys.member(this.#number), keys.machines, keys.layout],
      [this.id, MEMBER_LEASE_MS, this.#note(), randomBytes(8).toString('hex')],
    )
    if (this.#birth !== undefined && this.#birth !== birth) this.#forgotten = true
    this.#birth = birth
    if (this.#forgotten) await this.#o.forgotten()
    this.#forgotten = false
    this.#hold.renewed(sent)
  }

  async #renew(): Promise<boolean> {
    const { link, keys, clock } = this.#o
    const { id } = this
    const sent = this.#hold.sent()
    this.#sentAtMs = clock.monotonic()
    try {
      const [machines, after, savedAtMs, era] = await run(
        link.redis,
        renew,
        [keys.member(this.#number), keys.machines, keys.layout, keys.position],
        [id, MEMBER_LEASE_MS, this.#note(), this.#birth ?? ''],
      )
      this.#o.kept()
      if (id !== this.id || this.#losing) return false
      this.#failed = false
      this.#refused = undefined
      this.machines = machines
      if (after) {
        const { value: position } = check(positionSchema, { after, savedAtMs, era })
        // A malformed one is logged by whoever leads.
        if (position) this.#o.heard(position)
      }
      if (machines > 0) this.#hold.renewed(sent)
      else this.#lose(machines < 0)
      return machines > 0
    } catch (error) {
      this.#failed = true
      // That nobody answers is the link's to tell.
      if (isAnswer(error)) this.#isRefused(error)
      return false
    }
  }

  async #findOut(): Promise<void> {
    const { clock } = this.#o
    while (this.#losing === undefined && !this.#hold.over) {
      const holds = await within(clock, this.#hold.leftMs, this.#renew())
      if (holds && this.sure) return
      await wait(clock, ASK_AGAIN_MS)
    }
    // What is held back must not count as done: all that runs here is run by others.
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
      if (this.#hold.over) return this.#lose()
      if (clock.monotonic() - this.#sentAtMs >= (this.#failed ? TICK_MS : RENEW_MS)) void this.#renew()
    })
    this.#stopTicks = () => timer.cancel()
  }

  #lose(forgotten = false): void {
    if (this.#losing) return
    this.#hold.end()
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
    // It left meanwhile: nobody looks after this life.
    if (this.#left) return void bestEffort(link.redis.del(keys.member(this.#number)))
    this.#losing = undefined
    this.#refused = undefined
    log.info({ machine: this.id }, `this instance has rejoined, at ${link.shown}`)
    joined()
  }

  #note(): string {
    const { clock, version, facts } = this.#o
    const note: MachineNote = {
      joinedAtMs: this.#joinedAtMs,
      seenAtMs: clock.now(),
      version,
      ...(this.#code !== undefined && { code: this.#code }),
      ...facts(),
    }
    return JSON.stringify(note)
  }
}

/** All machines that have left a note, and whether their lease holds. */
export async function roll({ link, keys }: Place) {
  const notes = Object.entries(await link.redis.hgetall(keys.machines)).flatMap(([id, text]) => {
    const { value: note, fault } = checkJson(noteSchema, text)
    if (fault === undefined && instanceId.safeParse(id).success) return [{ id, ...note }]
    link.malformed('entry in the hash "machines"', fault ?? 'its name is not the id of an instance')
    return []
  })
  if (notes.length === 0) return []
  const holders = await link.redis.mget(notes.map(({ id }) => keys.member(numberOf(id))))
  return notes.map((note, at) => ({ ...note, lives: holders[at] === note.id }))
}

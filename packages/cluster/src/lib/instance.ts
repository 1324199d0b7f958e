import {
  type BotEvent,
  type Click,
  type ClusterHost,
  type ClusterStatus,
  clickOf,
  type Delivery,
  type Duties,
  type Gathered,
  type LimitStore,
  type ClusterMember,
  type MemberStatus,
  type StateStore,
  Unfinished,
} from '@botwright/framework/cluster'
import { bestEffort } from './redis/best-effort.ts'
import { alone } from './members/exclusive.ts'
import { decide } from '../protocol/entries.ts'
import { ClickTurns } from './events/click-turns.ts'
import { Engine } from './events/engine.ts'
import type { Entry } from './events/entry.ts'
import { Forwards } from './events/forwards.ts'
import type { Position } from './events/journal.ts'
import { agreeOnLayout } from './events/layout.ts'
import { Leadership } from './members/leadership.ts'
import { Membership, roll } from './members/membership.ts'
import type { LeaderConnection } from './members/leader-connection.ts'
import { numberOf } from './redis/from-redis.ts'
import { storeCopy } from './events/webhook-copies.ts'
import type { Location } from './redis/location.ts'
import { RefusalLog } from './redis/refusal-log.ts'
import type { RedisTime } from './redis/redis-time.ts'
import { setAside } from './events/set-aside.ts'
import { readStatus } from './members/status.ts'

export interface InstanceParts extends Location {
  host: ClusterHost
  partitions: number
  leaderConnection: LeaderConnection
  time: RedisTime
  /** `fence`: the key that exists while this instance has its lease. */
  shared(fence: () => string | undefined): { store: StateStore; limits: LimitStore & { close(): void } }
}

/** One process of a bot, on Redis. */
export class RedisInstance implements ClusterMember {
  readonly store: StateStore
  readonly limits: LimitStore
  readonly #p: InstanceParts
  readonly #membership: Membership
  readonly #forwards: Forwards
  readonly #leadership: Leadership
  readonly #leaving = new AbortController()
  readonly #clicks: ClickTurns
  #unwatch: (() => void) | undefined
  #duties: Duties | undefined
  #engine: Engine | undefined
  #stopping = false
  #closed: Promise<void> | undefined
  readonly #refusals: RefusalLog

  private constructor(parts: InstanceParts, membership: Membership, hooks: Hooks) {
    this.#p = parts
    this.#membership = membership
    const { host, link, keys, leaderConnection } = parts
    const { clock, log } = host
    this.#refusals = new RefusalLog({ link, clock, log })
    const me = () => membership.id
    this.#forwards = new Forwards({
      link,
      keys,
      clock,
      me,
      run: (delivery) => this.#runForOther(delivery),
      resumes: () => this.#duties !== undefined && !this.#stopping,
    })
    this.#leadership = new Leadership({
      link,
      keys,
      clock,
      log,
      partitions: () => parts.partitions,
      leaderConnection,
      forwards: this.#forwards,
      me,
      eligible: () => membership.sure && !this.#stopping,
      known: () => membership.known(),
      setAside: (event, reason) => void this.setAside(event, reason).catch((error: unknown) => this.failed(error)),
      failed: (error) => this.failed(error),
    })
    this.#clicks = new ClickTurns({
      link,
      keys,
      clock,
      sinceMs: hooks.sinceMs,
      ack: (click, mayLeave) => this.#duties!.ack(click, mayLeave),
      sure: () => membership.sure,
    })
    const { store, limits } = parts.shared(() => membership.fenceKey)
    this.store = store
    this.limits = limits
    hooks.instance = this
  }

  static async join(parts: InstanceParts): Promise<RedisInstance> {
    const { host, link, keys } = parts
    const sinceMs = host.clock.now()
    const hooks: Hooks = { instance: undefined, sinceMs }
    const membership = await Membership.join({
      ...{ link, keys, clock: host.clock, log: host.log, version: host.version, sinceMs },
      facts: () => hooks.instance?.status() ?? { running: 0, leads: false },
      turn: (turnAtMs) => hooks.instance?.nextTurn(turnAtMs),
      lost: async (forgotten) => hooks.instance?.lost(forgotten),
      agree: async () => void (parts.partitions = await agreeOnLayout(parts, parts.partitions)),
      forgotten: () => hooks.instance?.forgotten(),
      heard: (position) => hooks.instance?.heard(position),
      joined: () => hooks.instance?.joined(),
      kept: () => hooks.instance?.kept(),
      refused: (error) => hooks.instance?.failed(error),
    })
    const instance = new RedisInstance(parts, membership, hooks)
    await instance.#forwards.open().catch(async (error: unknown) => {
      await instance.close()
      throw error
    })
    return instance
  }

  get id(): string {
    return this.#membership.id
  }

  get clockAheadMs(): number {
    return this.#p.time.offsetMs
  }

  fence(): void | Promise<void> {
    return this.#membership.fence()
  }

  start(duties: Duties): void {
    this.#duties = duties
    this.#work()
    this.#leadership.open(duties).catch((error) => this.failed(error))
  }

  async offer(event: BotEvent): Promise<void> {
    await storeCopy(this.#p, event)
  }

  /** Tries until it is stored: no other instance has the event. */
  setAside(event: BotEvent, reason: string): Promise<void> {
    return setAside(this.#p, { event, reason }, this.#p.host.clock, this.#leaving.signal)
  }

  waits(key: string, on: boolean): void {
    this.#forwards.waits(key, on)
  }

  ask(instance: string, { event, attempt }: Delivery): Promise<boolean | 'lost'> {
    return this.#forwards.ask(instance, { event, attempt, asked: true })
  }

  answering(interactionId: string, state: 'begun' | 'answered' | 'failed'): Promise<void> {
    return this.#clicks.answering(interactionId, state)
  }

  unheard(click: Click): Promise<boolean> {
    return this.#clicks.unheard(click)
  }

  alone<T>(what: string, work: () => Promise<T>): Promise<T> {
    const { link, keys, host } = this.#p
    return alone({ link, keys, clock: host.clock, signal: this.#leaving.signal }, what, work)
  }

  async runs(code: string): Promise<void> {
    await this.#membership.runs(code)
  }

  async living(): Promise<ReadonlySet<string>> {
    return new Set((await roll(this.#p)).flatMap(({ id, lives }) => (lives ? [id] : [])))
  }

  wake(topic: string): void {
    const { link, keys } = this.#p
    // The leader also checks by itself, a little later.
    void bestEffort(link.redis.publish(keys.channel('wake'), topic))
  }

  status(): MemberStatus {
    const { link } = this.#p
    const { awaySinceMs } = link
    const { refused } = this.#membership
    return {
      id: this.id,
      leads: this.#leadership.leads,
      member: this.#membership.sure,
      engine: 'Redis',
      ...(refused !== undefined && { refused: link.reasonOf(refused) }),
      ...(awaySinceMs !== undefined && { awaySinceMs }),
      running: (this.#engine?.running ?? 0) + this.#forwards.running,
    }
  }

  /** See `MembershipOptions.turn`. */
  nextTurn(turnAtMs: number): void {
    this.#clicks.heartbeat(turnAtMs)
  }

  cluster(): Promise<ClusterStatus> {
    return readStatus(this.#p)
  }

  async stop({ graceMs }: { graceMs: number }): Promise<{ unfinished: number }> {
    this.#stopping = true
    const engine = this.#engine
    const announced = this.#membership.leaving()
    engine?.leave(announced)
    await Promise.all([this.#leadership.withdraw(), announced])
    // If several stop at the same time, one of them is the last.
    await Promise.all([engine?.idle(graceMs), this.#clicks.flush()])
    await this.#clicks.flushLast()
    return { unfinished: engine?.running ?? 0 }
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close())
  }

  /** The lease has expired: nothing that runs here may continue. */
  async lost(forgotten: boolean): Promise<void> {
    const engine = this.#engine
    this.#engine = undefined
    engine?.stop()
    this.#clicks.drop()
    this.#leadership.drop()
    try {
      await this.#duties?.lost(forgotten ? 'Redis has lost its data' : 'this instance was disconnected for too long')
    } catch (error) {
      this.#p.host.log.error({ error }, `the handlers running here could not be stopped: ${(error as Error).message}`)
    }
    await engine?.giveBack()
  }

  heard(position: Position): void {
    this.#leadership.know(position)
  }

  /** Redis was emptied, or has come back without its files. */
  forgotten(): void {
    const { host, link } = this.#p
    const { position } = this.#leadership
    const goesOn = position
      ? `The feed continues after event ${position.after}, the last position that this instance received, so some events may run twice`
      : 'The position in the feed is unknown: events that arrived meanwhile may be lost'
    host.log.error(
      { code: 'ERR_CLUSTER', redis: link.shown, ...(position && { after: position.after }) },
      `${link.shown}: Redis has lost all data of this bot (FLUSHALL, another database, an empty volume?): its state, its timers, and the events that waited or were set aside. ${goesOn}. Stop all instances and restore a backup if there is one; make sure that Redis stores its files (appendonly yes, a volume)`,
    )
  }

  /** Rejoined, under a new id. */
  joined(): void {
    void bestEffort(this.#forwards.begin())
    if (!this.#duties || this.#stopping) return
    this.#work()
    this.#duties.joined()
  }

  failed(error: unknown): void {
    this.#refusals.failed(error)
  }

  kept(): void {
    this.#refusals.kept()
  }

  async #close(): Promise<void> {
    this.#stopping = true
    this.#leaving.abort()
    await this.#leadership.withdraw()
    this.#unwatch?.()
    this.#clicks.close()
    this.#engine?.stop()
    await this.#engine?.giveBack()
    this.#engine = undefined
    this.#forwards.close()
    await this.#membership.leave()
    this.limits.close()
    await this.#p.link.close()
  }

  #work(): void {
    const { link, keys, host } = this.#p
    const life = this.id
    const engine = new Engine({
      ...{ link, keys, clock: host.clock, instance: life, lease: keys.member(numberOf(life)) },
      hooks: {
        run: (entry) => this.#run(entry, life),
        click: (event, turnAtMs) => {
          const click = clickOf(event, host.clock)
          if (click) this.#clicks.track(click, turnAtMs)
        },
        ended: ({ event }) => {
          if (event.type === 'interaction') this.#clicks.ended(String(event.data['id']))
        },
        changed: () => this.#leadership.changed(),
        fenced: () => this.#membership.cutOff(),
        malformed: (kind, fault) => link.malformed(kind, fault),
        error: (error) => this.failed(error),
      },
    })
    this.#engine = engine
    this.#unwatch?.()
    this.#unwatch = link.watch({ back: ({ sameServer }) => void (sameServer || engine.reread()) })
    engine.start()
  }

  /** Rejects only with `Unfinished`: otherwise the event counts as finished. Never settles if the lease under which it was taken has expired. */
  async #run(entry: Entry, life: string): Promise<void | Gathered> {
    const { event, attempt, asked } = entry
    try {
      const fencing = this.#membership.fence()
      if (fencing) await fencing
    } catch {
      return new Promise(() => {})
    }
    const decision = decide(entry.begun, this.#p.host.handlerAttempts)
    if (!decision.run) return this.#giveUp(event, decision.crashes)
    try {
      const sent = await this.#forwards.send(entry)
      if (sent === true) return
      // The other instance may have refused late.
      if (life !== this.id) return new Promise(() => {})
      const gathered = await this.#duties!.run({ event, attempt: sent === 'lost' ? attempt + 1 : attempt, asked })
      const ends = this.#ended(life, gathered)
      return gathered ? { ...gathered, ends } : ends
    } catch (error) {
      if (error instanceof Unfinished) throw error
      this.#tellFailed(event, error)
    }
    await this.#forwards.told
  }

  /** A fenced handler has not ended: its event runs again elsewhere. */
  async #ended(life: string, gathered: void | Gathered): Promise<void> {
    if (gathered) await gathered.ends
    if (this.#membership.fenceKey === undefined || life !== this.id) return new Promise(() => {})
    await this.#forwards.told
  }

  /** For another instance. Never rejects: it waits for the answer. */
  async #runForOther(delivery: Delivery): Promise<void> {
    try {
      const gathered = await this.#duties!.run(delivery)
      if (gathered) await gathered.ends
    } catch (error) {
      // The other instance runs it again when this one has left.
      if (error instanceof Unfinished) return new Promise(() => {})
      this.#tellFailed(delivery.event, error)
    }
  }

  #tellFailed({ id, type }: BotEvent, error: unknown): void {
    this.#p.host.report({
      code: 'run_failed',
      level: 'error',
      message: `event ${id} (${type}) counts as finished, but its run failed: ${(error as Error).message}`,
      id,
      type,
      error,
    })
  }

  async #giveUp(event: BotEvent, attempts: number): Promise<void> {
    const { id, type } = event
    const reason = `the instance crashed ${attempts === 1 ? 'once' : `${attempts} times`} while running it`
    await this.setAside(event, reason)
    this.#duties!.setAside({ event, attempt: attempts + 1, asked: false }, reason)
    this.#p.host.report({
      code: 'event_set_aside',
      level: 'error',
      message: `event ${id} (${type}) was set aside: ${reason}. framework cluster replay ${id} runs it again once the cause is fixed`,
      id,
      type,
      attempts,
    })
  }
}

/** The membership calls these before the instance exists. */
interface Hooks {
  instance: RedisInstance | undefined
  sinceMs: number
}

import type * as z from 'zod'
import { answerKey, type Clock, type Delivery, isWake, type Timer } from '@botwright/framework/cluster'
import { bestEffort } from '../redis/best-effort.ts'
import { checkJson, forwardSchema, instanceId, notices, numberOf } from '../redis/from-redis.ts'
import type { Location } from '../redis/location.ts'
import { run, script } from '../redis/scripts.ts'

export interface ForwardsOptions extends Location {
  clock: Clock
  /** The current id of this instance. */
  me: () => string
  /** Runs an event here, for another instance. */
  run(delivery: Delivery): void | Promise<void>
  /** Whether durable runs continue here: false while this instance stops. */
  resumes(): boolean
}

/** An event that another instance was asked to run, without an answer so far. */
interface Asked {
  /** Looks for the answer. */
  look: () => void
  /** Ignores its reply. */
  forget: () => void
}

/** A notice may get lost with its connection, and a write may be refused, so it is sent again after this time. Its reader recognizes the event by its number. */
const AGAIN_MS = 1000
const LOOK_MS = 500
/** How long a reader remembers the events that it has run. */
const REMEMBER_MS = 60_000
/** A forwarded event expires this long after it was last sent, and its answer this long after it was written. */
const KEPT_MS = 60_000
const [TAKEN, REFUSED] = ['1', '0']

/** KEYS: the waiting handlers. ARGV: the key, the instance. */
const forget = script<number>(
  'waits-forget',
  `if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end return redis.call('HDEL', KEYS[1], ARGV[1])`,
)

/**
 * Routes answers to the instance whose handler waits for them: a conversation stays where it began. The waiting handlers are stored
 * in a hash, and each instance has a copy: an event without a waiting handler costs one look into it. Forwarded events and their replies are stored
 * in keys. Pub/sub only names the field or key to read, so that a forged message can neither inject an event nor answer for an instance.
 */
export class Forwards {
  readonly #o: ForwardsOptions
  readonly #mine = new Set<string>()
  /** Of all instances. */
  #all = new Map<string, string>()
  #writing = Promise.resolve()
  /** Changes that could not be written. */
  readonly #unwritten = new Set<string>()
  #again: Timer | undefined
  /** Changes of the hash that this instance is reading. */
  readonly #reading = new Set<Promise<unknown>>()
  #n = 0
  readonly #asked = new Map<number, Asked>()
  /** Forwarded events that run here or have run: by instance and number. */
  readonly #taken = new Map<string, Promise<boolean>>()
  readonly #unhear: (() => void)[] = []
  #unhearMine: (() => void) | undefined
  /** Those that run, since this instance has its id. */
  #open = new Set<object>()

  constructor(options: ForwardsOptions) {
    this.#o = options
  }

  async open(): Promise<void> {
    const { link, keys } = this.#o
    this.#unhear.push(
      await link.hear(keys.channel('waits'), notices.waits, (key) => this.#reread(key)),
      link.watch({ back: () => void this.#republish(), missed: () => void this.#load() }),
    )
    await this.#load()
    await this.begin()
  }

  get running(): number {
    return this.#open.size
  }

  /** This instance has a new id: subscribes to its messages, and no handler waits or runs here. Other instances ask again for its former events. */
  async begin(): Promise<void> {
    const { link, keys, me } = this.#o
    this.#open = new Set()
    this.#taken.clear()
    this.#unhearMine?.()
    this.#forgetAsked()
    this.#mine.clear()
    this.#unwritten.clear()
    this.#unhearMine = await link.hear(keys.channel(`to:${me()}`), notices.forward, ([what, instance, n]) => {
      if (what === 'ask') void this.#read(instance, n)
      else if (instance === me()) this.#asked.get(Number(n))?.look()
    })
  }

  waits(key: string, on: boolean): void {
    const { link, keys, me, clock } = this.#o
    const instance = me()
    if (on) this.#mine.add(key)
    else this.#mine.delete(key)
    if (on) this.#all.set(key, instance)
    else if (this.#all.get(key) === instance) this.#all.delete(key)
    const kept = on
      ? link.redis.hset(keys.waits, key, instance)
      : run(link.redis, forget, [keys.waits], [key, instance])
    const told = link.redis.publish(keys.channel('waits'), key)
    // While Redis is unavailable, other instances do not see the change: it is published again (`#republish`), or this instance's lease ends.
    const failed = () => {
      this.#unwritten.add(key)
      this.#again ??= clock.after(AGAIN_MS, () => this.#writeAgain())
    }
    // Without a value: it would contain those of all earlier changes.
    this.#writing = Promise.all([this.#writing, kept, told]).then(() => {}, failed)
  }

  /** Redis is available, but has refused changes. */
  #writeAgain(): void {
    this.#again = undefined
    const unwritten = [...this.#unwritten]
    this.#unwritten.clear()
    if (this.#o.link.awaySinceMs === undefined) for (const key of unwritten) this.waits(key, this.#mine.has(key))
  }

  /** Resolves when the other instances can see all changes: only then may the next event of the queue begin. */
  get told(): Promise<void> {
    return this.#writing
  }

  /** Asks the instance whose handler waits for the event to run it. False: there is none, so run it here. `lost`: it may have run there. */
  async send(delivery: Delivery): Promise<boolean | 'lost'> {
    if (this.#all.size === 0 && this.#reading.size === 0) return false
    const key = answerKey(delivery.event)
    if (key === undefined) return false
    if (this.#reading.size > 0) await Promise.all(this.#reading)
    const instance = this.#all.get(key)
    if (instance === undefined || instance === this.#o.me()) return false
    return this.ask(instance, delivery)
  }

  /** The instances are gone: no handler waits there. Called by the leader. */
  async drop(instances: ReadonlySet<string>): Promise<void> {
    const { link, keys } = this.#o
    for (const [key, instance] of Object.entries(await link.redis.hgetall(this.#o.keys.waits)))
      if (instances.has(instance)) {
        await run(link.redis, forget, [keys.waits], [key, instance])
        await link.redis.publish(keys.channel('waits'), key)
      }
  }

  close(): void {
    this.#again?.cancel()
    for (const unhear of this.#unhear) unhear()
    this.#unhearMine?.()
    this.#forgetAsked()
  }

  #forgetAsked(): void {
    for (const { forget } of this.#asked.values()) forget()
  }

  async #load(): Promise<void> {
    try {
      const all = new Map<string, string>()
      for (const [key, instance] of Object.entries(await this.#o.link.redis.hgetall(this.#o.keys.waits)))
        if (this.#isInstance(instance)) all.set(key, instance)
      this.#all = all
    } catch {
      // It is loaded again when Redis is back.
    }
  }

  /** Messages were lost while Redis was unavailable: publishes this instance's changes again, then reads those of the others. */
  async #republish(): Promise<void> {
    const { link, keys, me } = this.#o
    try {
      const kept = await link.redis.hgetall(keys.waits)
      for (const key of this.#mine) if (kept[key] !== me()) this.waits(key, true)
      for (const [key, instance] of Object.entries(kept))
        if (instance === me() && !this.#mine.has(key)) this.waits(key, false)
      await this.told
    } catch {
      // Redis became unavailable again.
    }
    await this.#load()
  }

  /** A handler started or stopped waiting for this key: reads on which instance. */
  #reread(key: string): void {
    const { link, keys } = this.#o
    const reading = link.redis.hget(keys.waits, key).then(
      (instance) => {
        if (instance !== null && this.#isInstance(instance)) this.#all.set(key, instance)
        else this.#all.delete(key)
      },
      // Redis is unavailable: all of them are loaded when it is back.
      () => {},
    )
    this.#reading.add(reading)
    void reading.then(() => this.#reading.delete(reading))
  }

  #isInstance(instance: string): boolean {
    const fits = instanceId.safeParse(instance).success
    if (!fits) this.#o.link.malformed('entry in the hash "waits"', 'its value is not the id of an instance')
    return fits
  }

  /** Asks an instance to run the event. False: it refuses. `lost`: it may have run it. */
  ask(instance: string, { event, attempt, asked = false }: Delivery): Promise<boolean | 'lost'> {
    const { link, keys, clock, me } = this.#o
    const n = ++this.#n
    const from = me()
    const text = JSON.stringify({ to: instance, event, attempt, asked })
    const kept = keys.forward(from, n)
    const member = keys.member(numberOf(instance))
    return new Promise((resolve) => {
      let sentAtMs = -Infinity
      let timer: { cancel(): void } | undefined
      let arrived = false
      const forget = () => {
        timer?.cancel()
        this.#asked.delete(n)
        void bestEffort(link.redis.del(kept.event, kept.taken))
      }
      const settle = (how: boolean | 'lost') => {
        forget()
        resolve(how)
      }
      const look = async () => {
        timer?.cancel()
        try {
          if (clock.monotonic() - sentAtMs >= AGAIN_MS) {
            sentAtMs = clock.monotonic()
            await link.redis.set(kept.event, text, 'PX', KEPT_MS)
            if ((await link.redis.publish(keys.channel(`to:${instance}`), `ask ${from} ${n}`)) > 0) arrived = true
          }
          const [taken, holder] = await link.redis.mget(kept.taken, member)
          if (!this.#asked.has(n)) return
          if (taken !== null) return settle(taken === TAKEN)
          if (holder !== instance) return settle(arrived ? 'lost' : false)
        } catch {
          // Redis is unavailable: this instance's lease decides.
        }
        timer?.cancel()
        if (this.#asked.has(n)) timer = clock.after(LOOK_MS, () => void look())
      }
      this.#asked.set(n, { look: () => void look(), forget })
      void look()
    })
  }

  async #read(from: string, n: string): Promise<void> {
    const { link, keys, clock } = this.#o
    const name = `${from} ${n}`
    const kept = keys.forward(from, n)
    let taken = this.#taken.get(name)
    if (!taken) {
      const text = await bestEffort(link.redis.get(kept.event))
      // Forged or expired: the asking instance sends it again.
      if (text === undefined || text === null) return
      const { value, fault } = checkJson(forwardSchema, text)
      if (fault !== undefined) return link.malformed('forwarded event', fault)
      // A forged message: the event was sent to another instance.
      if (value.to !== this.#o.me()) return
      taken = this.#taken.get(name)
      if (!taken) {
        taken = this.#take(value)
        this.#taken.set(name, taken)
        void taken.finally(() => clock.after(REMEMBER_MS, () => this.#taken.delete(name)))
      }
    }
    const how = await taken
    await bestEffort(link.redis.set(kept.taken, how ? TAKEN : REFUSED, 'PX', KEPT_MS))
    await bestEffort(link.redis.publish(keys.channel(`to:${from}`), `done ${from} ${n}`))
  }

  async #take({ event, attempt, asked }: z.output<typeof forwardSchema>): Promise<boolean> {
    if (isWake(event) ? !this.#o.resumes() : !this.#mine.has(answerKey(event) ?? '')) return false
    const open = this.#open.add(event)
    try {
      await this.#o.run({ event, attempt, asked })
      await this.told
    } finally {
      open.delete(event)
    }
    return true
  }
}

import { type Job, Worker, WaitingError } from 'bullmq'
import type { BotEvent, Click, Clock } from '@botwright/framework/cluster'
import type { Redis } from 'ioredis'
import { bestEffort } from './best-effort.ts'
import { check, clickSchema, queuedSchema } from './from-redis.ts'
import type { Crew, Hands, Work } from './broker.ts'
import { hangUp } from './connect.ts'
import type { Keys } from './keys.ts'
import { ACKS, isClickRow, rows } from './queues.ts'
import { within } from './wait.ts'

/** The name of the job that is the last one for its click. */
export const LAST_ACK = 'last'

/** What an event's job holds. Fields that are not known here are a newer release's. */
export interface EventData {
  event: BotEvent
  asked?: true
}

/**
 * The queue gives an event to another machine when nobody has renewed its hold for so long. A machine's own lease is shorter (3 s):
 * it is over before.
 */
const LOCK_MS = 5000
const RENEW_MS = 1500
const LOOK_FOR_DEAD_MS = 1000
/** A wake-up that was lost costs so much. */
const DRAIN_SECONDS = 2
const CLICK_DRAIN_SECONDS = 0.5
const RETRY_MS = 500
const ACKS_AT_ONCE = 16
/** So long a machine keeps a row that others could have. */
const TURN_MS = 500
const PASS_MS = 20
/** A hold that was renewed right before its connection went silent lasts longer: 5 s, less the 2.25 s between two renewals. */
const SILENT_MS = 2500
const PING_MS = 500
const GIVE_BACK_MS = 1000
const CLOSE_MS = 3000
/** Jobs are given back a limitless number of times: what is tried too often is counted here, and set aside. */
const LIMITLESS = 1_000_000_000

interface Running {
  job: Job<EventData>
  token: string
  /** Ends the processor without an end of the job. */
  leave: () => void
}

/** The workers of one life: one for each row, one event at a time. */
export class BullCrew implements Crew {
  readonly #redis: Redis
  readonly #keys: Keys
  readonly #clock: Clock
  readonly #hands: Hands
  /** By the names of their queues. */
  readonly #workers = new Map<string, Worker>()
  readonly #copies: Redis[] = []
  readonly #running = new Map<string, Running>()
  /** Since when a row has had something to do without a pause. */
  readonly #heldSinceMs = new Map<string, number>()
  #idle: (() => void)[] = []
  #state: 'works' | 'paused' | 'ended' = 'works'

  constructor(options: { redis: Redis; keys: Keys; member: string; clock: Clock; hands: Hands }) {
    const { redis, keys, member, clock, hands } = options
    this.#redis = redis
    // BullMQ makes a connection for each worker that waits. It may forget to end one that is being opened when its worker closes.
    const duplicate = redis.duplicate.bind(redis)
    redis.duplicate = (override) => {
      const copy = duplicate(override)
      copy.on('error', () => {})
      this.#copies.push(copy)
      return copy
    }
    this.#keys = keys
    this.#clock = clock
    this.#hands = hands
    const common = {
      connection: redis,
      prefix: keys.prefix,
      name: member,
      skipVersionCheck: true,
      lockDuration: LOCK_MS,
      lockRenewTime: RENEW_MS,
      stalledInterval: LOOK_FOR_DEAD_MS,
      maxStalledCount: LIMITLESS,
      runRetryDelay: RETRY_MS,
      // Which ids were published is kept elsewhere, in less room (`BullBroker`).
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    }
    for (const row of rows) {
      const drainDelay = isClickRow(row) ? CLICK_DRAIN_SECONDS : DRAIN_SECONDS
      const worker = new Worker<EventData>(row, this.#run, { ...common, drainDelay })
      worker.on('drained', () => this.#heldSinceMs.delete(row))
      // Nothing more is taken behind it: somebody else must hear that the row is free.
      worker.on('completed', () => this.#state === 'paused' && this.#wake(row))
      wakeNobody(worker, keys.unheard)
      this.#add(worker)
    }
    this.#add(
      new Worker<Click>(ACKS, this.#ack, { ...common, drainDelay: CLICK_DRAIN_SECONDS, concurrency: ACKS_AT_ONCE }),
    )
    this.#watch()
  }

  get running(): number {
    return this.#running.size
  }

  async pause(): Promise<void> {
    if (this.#state === 'works') this.#state = 'paused'
    await Promise.all(Array.from(this.#workers.values(), (worker) => worker.pause(true)))
  }

  async idle(ms: number): Promise<void> {
    if (this.#running.size === 0) return
    await new Promise<void>((resolve) => {
      const timer = this.#clock.after(ms, resolve, { keepAlive: true })
      this.#idle.push(() => {
        timer.cancel()
        resolve()
      })
    })
  }

  async end({ drained }: { drained: boolean }): Promise<void> {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    await Promise.all(Array.from(this.#workers.values(), (worker) => worker.pause(true)))
    const left = [...this.#running.values()]
    // A Redis that does not answer holds up nobody.
    await within(this.#clock, GIVE_BACK_MS, Promise.all(left.map(({ job, token }) => this.#pardon(job, token))))
    for (const { leave } of left) leave()
    await within(
      this.#clock,
      CLOSE_MS,
      Promise.all(Array.from(this.#workers.values(), (worker) => worker.close(!drained))),
    )
    if (drained) await within(this.#clock, GIVE_BACK_MS, this.#nudge())
    for (const redis of [this.#redis, ...this.#copies]) hangUp(redis)
  }

  #add(worker: Worker): void {
    // Without a hearer an error would end the process.
    worker.on('error', (error) => this.#state !== 'ended' && this.#hands.error(error))
    this.#workers.set(worker.name, worker)
  }

  readonly #run = async (job: Job<EventData>, token = ''): Promise<void> => {
    if (this.#state !== 'works') {
      // It was taken between two steps of BullMQ: nobody has begun it.
      await this.#giveBack(job, token, false)
      throw new WaitingError()
    }
    const id = job.id!
    let leave!: () => void
    const left = new Promise<'left'>((resolve) => (leave = () => resolve('left')))
    this.#running.set(id, { job, token, leave })
    try {
      if (!this.#heldSinceMs.has(job.queueName)) this.#heldSinceMs.set(job.queueName, this.#clock.monotonic())
      const { value: data, fault } = check(queuedSchema, job.data)
      if (fault !== undefined) return this.#hands.malformed('queued event', `${fault}; it does not run`)
      const { event, asked = false } = data
      const attempt = Number.isSafeInteger(job.attemptsStarted) ? Math.max(1, job.attemptsStarted) : 1
      const work: Work = { event, attempt, asked, pardons: attempt > 1 ? await this.#pardons(id) : 0 }
      if ((await Promise.race([this.#hands.run(work), left])) === 'left' || this.#left()) throw new WaitingError()
      if (attempt > 1) void bestEffort(this.#redis.hdel(this.#keys.pardons, id))
      this.#takeTurns(job.queueName)
    } finally {
      this.#running.delete(id)
      if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
    }
  }

  /**
   * A worker that finishes an event takes the next one of its row in the same step, so a row with a backlog would stay for ever with
   * the machine that took it first, however much the others have to do.
   */
  #takeTurns(row: string): void {
    const since = this.#heldSinceMs.get(row)
    if (since === undefined || this.#clock.monotonic() - since < TURN_MS) return
    this.#heldSinceMs.delete(row)
    const worker = this.#workers.get(row)
    if (!worker || !this.#hands.others()) return
    void worker.pause(true)
    const pass = () => {
      late.cancel()
      worker.off('completed', pass)
      this.#wake(row)
      this.#clock.after(PASS_MS, () => {
        if (this.#state === 'works') void worker.resume()
      })
    }
    worker.on('completed', pass)
    // An event that others have taken over is never completed here.
    const late = this.#clock.after(TURN_MS, pass)
  }

  readonly #ack = async (job: Job<Click>, token = ''): Promise<void> => {
    if (this.#state !== 'works') {
      await this.#giveBack(job, token, false)
      throw new WaitingError()
    }
    const { value: click, fault } = check(clickSchema, job.data)
    if (fault !== undefined) return this.#hands.malformed('queued acknowledgement', fault)
    await this.#hands.ack(click, job.name === LAST_ACK, job.timestamp + (job.opts.delay ?? 0))
  }

  /** One of BullMQ's own. */
  #key(row: string, name: string): string {
    return this.#workers.get(row)!.toKey(name)
  }

  #left(): boolean {
    return this.#state === 'ended'
  }

  async #pardons(id: string): Promise<number> {
    // Without an answer it counts as a death.
    const kept = Number((await this.#redis.hget(this.#keys.pardons, id).catch(() => 0)) ?? 0)
    if (Number.isSafeInteger(kept) && kept >= 0) return kept
    this.#hands.malformed('entry in the hash "pardons"', 'it is not a count')
    return 0
  }

  /**
   * The holds on what runs here are renewed on this connection alone. When it stands still while the others work, the queue gives to
   * others what runs here, although the machine's lease holds.
   */
  #watch(): void {
    let aliveAtMs = this.#clock.monotonic()
    const look = () => {
      const sentAtMs = this.#clock.monotonic()
      if (this.#state === 'ended') return
      if (sentAtMs - aliveAtMs > SILENT_MS) return this.#hands.cutOff()
      this.#redis.ping().then(
        () => (aliveAtMs = sentAtMs),
        () => {},
      )
      this.#clock.after(PING_MS, look)
    }
    look()
  }

  /** It was begun, and its end is not its fault. */
  async #pardon(job: Job, token: string): Promise<void> {
    try {
      await this.#redis.hincrby(this.#keys.pardons, job.id!, 1)
    } catch {
      // It counts as a death then.
    }
    await this.#giveBack(job, token, true)
  }

  async #giveBack(job: Job, token: string, begun: boolean): Promise<void> {
    try {
      // While it is held nobody else looks at it.
      if (!begun) await this.#redis.hincrby(this.#key(job.queueName, job.id!), 'ats', -1)
      await job.moveToWait(token)
    } catch {
      // The hold was over: others have it, or find it in a moment.
    }
  }

  #wake(row: string): void {
    void bestEffort(this.#redis.zadd(this.#key(row, 'marker'), 0, '0'))
  }

  /** Wakes the other machines' workers: BullMQ wakes nobody when the last one to finish takes nothing more. */
  async #nudge(): Promise<void> {
    const wake = this.#redis.pipeline()
    for (const row of rows) wake.zadd(this.#key(row, 'marker'), 0, '0')
    await bestEffort(wake.exec())
  }
}

/** The place of the marker's key among those of BullMQ's scripts. */
const MARKER_AT: Readonly<Record<string, number>> = { moveToActive: 10, moveToFinished: 13 }

/**
 * Whenever a job begins, BullMQ wakes one more worker, which may take the next one. Here a row runs one event at a time: that worker
 * could never have it, and on many machines such visits in vain cost as much as the events. So this mark is set where nobody waits.
 *
 * BullMQ has no option for it, and a backend of one's own (`BackendFactory`) would have to write both commands anew. It is pinned to one
 * version; with another one a test fails ("wakes nobody else") when the places of the keys have changed, and nothing starts when there is
 * no `execCommand`. Without this everything runs as well, and costs more.
 */
function wakeNobody(worker: Worker, unheard: string): void {
  const backend = worker.getBackend() as unknown as {
    execCommand: (client: unknown, name: string, args: unknown[]) => unknown
  }
  const execute = backend.execCommand.bind(backend)
  backend.execCommand = (client, name, args) => {
    const at = MARKER_AT[name]
    if (at !== undefined && String(args[at]).endsWith(':marker'))
      args = [...args.slice(0, at), unheard, ...args.slice(at + 1)]
    return execute(client, name, args)
  }
}

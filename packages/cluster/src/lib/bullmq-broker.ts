import { type IRedisTransaction, Job, Queue } from 'bullmq'
import type { BotEvent, Click, Clock } from '@botwright/framework/cluster'
import type { ChainableCommander, Redis } from 'ioredis'
import type { Batch, Broker, Crew, Hands, QueueCount } from './broker.ts'
import { BullCrew, type EventData, LAST_ACK } from './bullmq-crew.ts'
import type { RedisLink } from './connect.ts'
import type { Keys } from './keys.ts'
import type { Pen } from './pen.ts'
import type { Place } from './place.ts'
import { ACKS, rowOf, rows } from './queues.ts'

/** So many events are kept in one step: Redis does nothing else meanwhile. */
const STEP = 250
/** BullMQ's own stream of news, which nobody reads. */
const NEWS_KEPT = 100

/**
 * Rows of events in BullMQ. A batch is kept with a fence and once: in one transaction that fails when another term has begun, and
 * together with the ids in a sorted set, of which the position's script takes away what it has passed.
 */
export class BullBroker implements Broker {
  readonly #link: RedisLink
  readonly #keys: Keys
  readonly #clock: Clock
  readonly #pen: Pen
  readonly #redis: Redis
  readonly #queues = new Map<string, Queue>()
  #ready: Promise<unknown> | undefined

  constructor({ link, keys, clock, pen }: Place & { clock: Clock; pen: Pen }) {
    this.#link = link
    this.#keys = keys
    this.#clock = clock
    this.#pen = pen
    this.#redis = pen.redis
    for (const name of [...rows, ACKS]) this.#queues.set(name, this.#queue(name))
  }

  crew(member: string, hands: Hands): Crew {
    // Its own connection: after a cut the old one may wait for a minute before it sends again.
    const redis = this.#link.another(`works ${member}`)
    return new BullCrew({ redis, keys: this.#keys, member, clock: this.#clock, hands })
  }

  /** What BullMQ must know of its queues, on all machines. */
  async prepare(): Promise<void> {
    const set = this.#link.redis.pipeline()
    for (const name of [...rows, ACKS])
      set.hset(this.#key(name, 'meta'), {
        ...(name !== ACKS && { concurrency: 1 }),
        'opts.maxLenEvents': NEWS_KEPT,
      })
    await set.exec()
    await this.#scripts()
  }

  async publish(batch: Batch): Promise<boolean> {
    const { events } = batch
    for (let from = 0; from < events.length; from += STEP)
      if (!(await this.#publishStep({ ...batch, events: events.slice(from, from + STEP) }))) return false
    return true
  }

  async #publishStep({ term, era, server, events }: Batch): Promise<boolean> {
    await this.#scripts()
    const redis = this.#redis
    if ((await this.#pen.server()) !== server) return false
    const { life } = this.#pen
    const { seen, terms } = this.#keys
    const ids = events.map(({ id }) => `${era}.${id}`)
    const looked = await redis
      .pipeline()
      .watch(terms)
      .get(terms)
      .zmscore(seen, ...ids)
      .exec()
    const [newest, scores] = [answer<string | null>(looked, 1), answer<(string | null)[]>(looked, 2)]
    if (Number(newest) !== term) {
      await redis.unwatch()
      return false
    }
    if (life !== this.#pen.life) throw new Error('the connection ended')
    const fresh = events.filter((_, at) => scores[at] === null)
    if (fresh.length === 0) {
      await redis.unwatch()
      return true
    }
    const step = redis.multi()
    const adds = transactionOf(step)
    for (const event of fresh) void this.#job({ event }, `e${era}.${event.id}`).addJob(adds)
    const order: (string | number)[] = []
    for (const { id } of fresh) order.push(id, `${era}.${id}`)
    step.zadd(seen, ...order)
    const kept = await step.exec()
    if (kept === null) return false
    const failed = fresh.filter((_, at) => kept[at]?.[0])
    if (failed.length > 0) {
      await redis.zrem(seen, ...failed.map(({ id }) => `${era}.${id}`))
      const error = kept.find(([refusal]) => refusal)![0]!
      // ioredis sends a script once for each connection, and does not notice that a transaction lost it (a full memory, SCRIPT FLUSH).
      if (!error.message.startsWith('NOSCRIPT')) throw error
      this.#pen.renew()
      throw new Error('the connection restarts', { cause: error })
    }
    return true
  }

  async schedule(click: Click, atMs: readonly number[]): Promise<void> {
    await this.#scripts()
    const step = this.#redis.pipeline()
    const adds = transactionOf(step)
    const now = this.#clock.now()
    for (const [n, at] of atMs.entries()) {
      const kind = n === atMs.length - 1 ? LAST_ACK : 'ack'
      const id = ackId(click, kind)
      void new Job(this.#queues.get(ACKS)!, kind, click, { delay: Math.max(at - now, 1) }, id).addJob(adds)
    }
    for (const [error] of (await step.exec()) ?? []) if (error) throw error
  }

  async waitsForAck(click: Click): Promise<boolean> {
    return (await this.#link.redis.exists(this.#key(ACKS, ackId(click, LAST_ACK)))) === 1
  }

  async again(event: BotEvent, mark: string): Promise<void> {
    await this.#scripts()
    const step = this.#redis.pipeline()
    void this.#job({ event, asked: true }, `r${mark}.${event.id}`).addJob(transactionOf(step))
    answer(await step.exec(), 0)
  }

  async takeBack(members: ReadonlySet<string>): Promise<number> {
    const names = [...rows, ACKS]
    const { redis } = this.#link
    const ask = redis.pipeline()
    for (const name of names) ask.lrange(this.#key(name, 'active'), 0, -1)
    const active = await ask.exec()
    const held = names.flatMap((name, at) => answer<string[]>(active, at).map((id) => ({ name, id })))
    if (held.length === 0) return 0
    // In one step: whose it is and by which token belong together. Who holds it with another token by then keeps it.
    const look = redis.multi()
    for (const { name, id } of held) look.hget(this.#key(name, id), 'pb').get(this.#key(name, `${id}:lock`))
    const found = await look.exec()
    await this.#scripts()
    let taken = 0
    for (const [at, { name, id }] of held.entries()) {
      const [member, token] = [answer<string | null>(found, 2 * at), answer<string | null>(found, 2 * at + 1)]
      if (member === null || token === null || !members.has(member)) continue
      try {
        await this.#queues.get(name)!.getBackend().moveJobFromActiveToWait(id, token)
        if (name !== ACKS) taken++
      } catch (error) {
        // BullMQ's own numbers: it has ended, or others have it.
        if (typeof (error as { code?: unknown }).code !== 'number') throw error
      }
    }
    return taken
  }

  async waiting(): Promise<number> {
    const ask = this.#link.redis.pipeline()
    for (const row of rows) ask.llen(this.#key(row, 'wait'))
    const found = await ask.exec()
    return rows.reduce((sum, _, at) => sum + answer<number>(found, at), 0)
  }

  async counts(): Promise<QueueCount[]> {
    const ask = this.#link.redis.pipeline()
    for (const row of rows)
      ask.llen(this.#key(row, 'wait')).llen(this.#key(row, 'active')).lindex(this.#key(row, 'wait'), -1)
    const found = await ask.exec()
    const counts: QueueCount[] = []
    /** The rows in which something waits, and a question for the time of the first of it. */
    const late: QueueCount[] = []
    const times = this.#link.redis.pipeline()
    for (const [at, name] of rows.entries()) {
      const [waiting, running, oldest] = [0, 1, 2].map((n) => answer<unknown>(found, 3 * at + n))
      const count: QueueCount = { name, waiting: waiting as number, running: running as number }
      counts.push(count)
      if (typeof oldest !== 'string') continue
      late.push(count)
      times.hget(this.#key(name, oldest), 'timestamp')
    }
    const told = late.length > 0 ? await times.exec() : []
    for (const [at, count] of late.entries()) {
      const atMs = Number(answer(told, at))
      // It may have been taken meanwhile.
      if (atMs > 0) count.oldestAtMs = atMs
    }
    return counts
  }

  async close(): Promise<void> {
    // The connections are the link's.
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()))
  }

  /** One of BullMQ's own. */
  #key(row: string, name: string): string {
    return this.#queues.get(row)!.toKey(name)
  }

  #queue(name: string): Queue {
    const queue = new Queue(name, {
      connection: this.#redis,
      prefix: this.#keys.prefix,
      skipVersionCheck: true,
      skipMetasUpdate: true,
    })
    queue.on('error', () => {})
    return queue
  }

  #job(data: EventData, id: string): Job {
    return new Job(this.#queues.get(rowOf(data.event))!, 'event', data, {}, id)
  }

  /** BullMQ gives a connection its scripts when it is ready for the first time. */
  #scripts(): Promise<unknown> {
    return (this.#ready ??= this.#queues.get(ACKS)!.waitUntilReady())
  }
}

const ackId = ({ interactionId }: Click, kind: string) => `${kind}.${interactionId.replaceAll(':', '.')}`

/** BullMQ's inserts, on a transaction of ours. */
function transactionOf(step: ChainableCommander): IRedisTransaction {
  const scripts = step as unknown as Record<string, (args: unknown[]) => unknown>
  const adds = { runCommand: (name: string, args: unknown[]) => (scripts[name]!(args), adds) }
  return adds as unknown as IRedisTransaction
}

function answer<T>(found: [Error | null, unknown][] | null, at: number): T {
  const [error, value] = found?.[at] ?? [new Error('Redis did not respond')]
  if (error) throw error
  return value as T
}

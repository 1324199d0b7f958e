import { type IRedisTransaction, Job, Queue } from 'bullmq'
import type { BotEvent, Click, Clock } from '@botwright/framework/cluster'
import type { ChainableCommander, Redis } from 'ioredis'
import type { Batch, Broker, Crew, Hands, QueueCount } from './broker.ts'
import { BullCrew, type EventData, LAST_ACK } from './bullmq-crew.ts'
import type { RedisLink } from './connect.ts'
import type { Keys } from './keys.ts'
import { Pen } from './pen.ts'
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
  readonly pen: Pen
  readonly #redis: Redis
  readonly #queues = new Map<string, Queue>()
  #ready: Promise<unknown> | undefined

  constructor(options: { link: RedisLink; keys: Keys; clock: Clock }) {
    this.#link = options.link
    this.#keys = options.keys
    this.#clock = options.clock
    this.pen = new Pen(this.#link)
    this.#redis = this.pen.redis
    for (const name of [...rows, ACKS]) this.#queues.set(name, this.#queue(name))
  }

  crew(member: string, hands: Hands): Crew {
    // Its own connection: after a cut the old one may wait for a minute before it sends again.
    const redis = this.#link.another(`works ${member}`)
    return new BullCrew({ redis, prefix: this.#keys.prefix, member, clock: this.#clock, hands })
  }

  /** What BullMQ must know of its queues, on all machines. */
  async prepare(): Promise<void> {
    const set = this.#link.redis.pipeline()
    for (const name of [...rows, ACKS])
      set.hset(`${this.#keys.prefix}:${name}:meta`, {
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
    if ((await this.pen.server()) !== server) return false
    const { life } = this.pen
    const { terms } = this.#keys
    const seen = `${this.#keys.prefix}:seen`
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
    if (life !== this.pen.life) throw new Error('the connection ended')
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
      throw kept.find(([error]) => error)![0]!
    }
    return true
  }

  async schedule(click: Click, atMs: readonly number[]): Promise<void> {
    await this.#scripts()
    const step = this.#redis.pipeline()
    const adds = transactionOf(step)
    const now = this.#clock.now()
    const name = click.interactionId.replaceAll(':', '.')
    for (const [n, at] of atMs.entries()) {
      const kind = n === atMs.length - 1 ? LAST_ACK : 'ack'
      void new Job(this.#queues.get(ACKS)!, kind, click, { delay: Math.max(at - now, 1) }, `k${n}.${name}`).addJob(adds)
    }
    for (const [error] of (await step.exec()) ?? []) if (error) throw error
  }

  async again(event: BotEvent, mark: string): Promise<void> {
    await this.#scripts()
    const step = this.#redis.pipeline()
    void this.#job({ event, asked: true }, `r${mark}.${event.id}`).addJob(transactionOf(step))
    answer(await step.exec(), 0)
  }

  async waiting(): Promise<number> {
    const ask = this.#link.redis.pipeline()
    for (const row of rows) ask.llen(`${this.#keys.prefix}:${row}:wait`)
    const found = await ask.exec()
    return rows.reduce((sum, _, at) => sum + answer<number>(found, at), 0)
  }

  async counts(): Promise<QueueCount[]> {
    const { redis } = this.#link
    const { prefix } = this.#keys
    const ask = redis.pipeline()
    for (const row of rows)
      ask.llen(`${prefix}:${row}:wait`).llen(`${prefix}:${row}:active`).lindex(`${prefix}:${row}:wait`, -1)
    const found = await ask.exec()
    const counts = rows.map((name, at) => ({
      name,
      waiting: answer<number>(found, 3 * at),
      running: answer<number>(found, 3 * at + 1),
      oldest: answer<string | null>(found, 3 * at + 2),
    }))
    const waiting = counts.filter(({ oldest }) => oldest !== null)
    const times = await waiting
      .reduce((all, { name, oldest }) => all.hget(`${prefix}:${name}:${oldest}`, 'timestamp'), redis.pipeline())
      .exec()
    return counts.map(({ name, waiting: inRow, running, oldest }) => {
      const at = Number(
        oldest === null
          ? 0
          : answer(
              times,
              waiting.findIndex((other) => other.name === name),
            ),
      )
      return { name, waiting: inRow, running, ...(at > 0 && { oldestAtMs: at }) }
    })
  }

  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()))
    this.#redis.disconnect()
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

/** BullMQ's inserts, on a transaction of ours. */
function transactionOf(step: ChainableCommander): IRedisTransaction {
  const scripts = step as unknown as Record<string, (args: unknown[]) => unknown>
  const adds = { runCommand: (name: string, args: unknown[]) => (scripts[name]!(args), adds) }
  return adds as unknown as IRedisTransaction
}

function answer<T>(found: [Error | null, unknown][] | null, at: number): T {
  const [error, value] = found?.[at] ?? [new Error('Redis gave no answer')]
  if (error) throw error
  return value as T
}

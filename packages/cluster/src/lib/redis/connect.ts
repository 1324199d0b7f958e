import { BotwrightError, type Clock, type Log } from '@botwright/framework/cluster'
import { Redis, type RedisOptions } from 'ioredis'
import { bestEffort } from './best-effort.ts'
import { type Address, readAddress } from './address.ts'
import type * as z from 'zod'
import { check, MAX_NOTICE_LENGTH } from './from-redis.ts'
import { isDemoted, mayPass, reasonOf } from './reasons.ts'
import { run, type Script } from './scripts.ts'
import { wait, within } from './wait.ts'

export interface LinkOptions {
  /** See `readAddress`. */
  url: string
  log: Log
  clock: Clock
  /** Shown by Redis' `CLIENT LIST`. */
  name: string
  /** So long a Redis that is starting is waited for. */
  startMs?: number
  /** A connection without an answer is given up after this. */
  answerMs?: number
}

/** Redis has come back: whether it is the same process as before, or one that was started since and may have lost its last second. */
interface Back {
  sameServer: boolean
}

interface Hearer {
  away?: () => void
  back?: (back: Back) => void
  /** The connection for messages was interrupted: some may have been missed. */
  missed?: () => void
}

/** Answers come in the shape of RESP 2, whatever is spoken. */
type Options = Omit<RedisOptions, 'replyMapping'>

const START_MS = 5000
const ANSWER_MS = 4000
const CLOSE_MS = 2000
const NOTICE_MS = 20
const MALFORMED_AGAIN_MS = 60_000
/** A connection that ended because this process was frozen is there again at once: Redis was available. */
const TELL_AFTER_MS = 250

/**
 * The connections of one instance to Redis. Commands fail at once while it is unavailable (none is queued and sent when its caller has given up),
 * and when their connection ends. The start and the end of an outage are logged once. No text contains the password.
 */
export class RedisLink implements AsyncDisposable {
  /** For commands that answer at once; see `another` for those that block. */
  readonly redis: Redis
  readonly shown: string
  readonly #options: LinkOptions
  readonly #address: Address
  readonly #others = new Set<Redis>()
  readonly #hearers = new Set<Hearer>()
  readonly #channels = new Map<string, Set<(text: string) => void>>()
  /** By kind: when a malformed value was logged last (monotonic), and how many came since. */
  readonly #malformed = new Map<string, { atMs: number; more: number }>()
  #subscriber: Redis | undefined
  #checking: { cancel(): void } | undefined
  #server = ''
  #awaySinceMs: number | undefined
  /** Set while the outage is not logged yet. */
  #telling: { cancel(): void } | undefined
  #lastError: unknown
  #closed = false

  private constructor(options: LinkOptions) {
    this.#options = options
    this.#address = readAddress(options.url)
    this.shown = this.#address.shown
    this.redis = this.#make(options.name, {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      socketTimeout: options.answerMs ?? ANSWER_MS,
    })
    this.redis.on('error', (error) => (this.#lastError = error))
  }

  /** Connects. Rejects with `ERR_CLUSTER` or `ERR_CONFIG` (see `wrong`): the address, the reason, what to do. */
  static async open(options: LinkOptions): Promise<RedisLink> {
    const link = new RedisLink(options)
    try {
      await link.#begin()
      return link
    } catch (error) {
      await link.close()
      throw error
    }
  }

  /** Since when (monotonic) Redis does not answer; undefined while it does. */
  get awaySinceMs(): number | undefined {
    return this.#awaySinceMs
  }

  /** Runs a script on the connection for commands. */
  run<Reply>(program: Script<Reply>, keys: readonly string[], args: readonly (string | number)[] = []): Promise<Reply> {
    return run(this.redis, program, keys, args)
  }

  /** Resolves when Redis is there: whether it was within that time. */
  there(withinMs: number): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false)
    if (this.redis.status === 'ready' && this.#awaySinceMs === undefined) return Promise.resolve(true)
    return new Promise((resolve) => {
      const done = (there: boolean) => {
        timer.cancel()
        this.#hearers.delete(hearer)
        resolve(there)
      }
      const hearer = { back: () => done(true) }
      const timer = this.#options.clock.after(withinMs, () => done(false), { keepAlive: true })
      this.#hearers.add(hearer)
    })
  }

  /** A connection that has just failed a command takes a moment to notice that it is over: ask `there` after that. */
  noticed(): Promise<void> {
    return wait(this.#options.clock, NOTICE_MS, { keepAlive: true })
  }

  /** Calls back when Redis becomes unavailable and available. Returns how to stop that. */
  watch(hearer: Hearer): () => void {
    this.#hearers.add(hearer)
    return () => void this.#hearers.delete(hearer)
  }

  /** A separate connection, such as for commands that block. It waits for Redis as long as it takes, and is closed with the link. */
  another(name: string, options: Options = {}): Redis {
    const redis = this.#make(`${this.#options.name} ${name}`, { maxRetriesPerRequest: null, ...options })
    this.#others.add(redis)
    // The connection for commands logs the error.
    redis.on('error', () => {})
    redis.on('end', () => void this.#others.delete(redis))
    return redis
  }

  /**
   * Subscribes to a channel (`keys.channel`). Pub/sub is shared by all databases of a Redis, so a message that does not fit the schema is logged and ignored,
   * and one that fits is a hint only: whatever matters is read from a key. Messages are missed while the connection is away. Resolves with how to unsubscribe.
   */
  async hear<T>(channel: string, schema: z.ZodType<T, unknown>, onMessage: (message: T) => void): Promise<() => void> {
    const heard = (text: string) => {
      const { value, fault } =
        text.length > MAX_NOTICE_LENGTH ? { fault: `longer than ${MAX_NOTICE_LENGTH} characters` } : check(schema, text)
      if (fault === undefined) onMessage(value)
      else this.malformed(`message on the channel ${channel}`, fault)
    }
    this.#subscriber ??= this.#subscribe()
    const hearers = this.#channels.get(channel) ?? new Set()
    hearers.add(heard)
    this.#channels.set(channel, hearers)
    if (hearers.size === 1) await this.#subscriber.subscribe(channel)
    return () => {
      hearers.delete(heard)
      if (hearers.size > 0 || this.#closed) return
      this.#channels.delete(channel)
      if (this.#subscriber) void bestEffort(this.#subscriber.unsubscribe(channel))
    }
  }

  /** Logs that a value on Redis was ignored because it is malformed: at most once a minute for each kind. */
  malformed(kind: string, fault: string): void {
    const now = this.#options.clock.monotonic()
    const last = this.#malformed.get(kind)
    if (last && now - last.atMs < MALFORMED_AGAIN_MS) return void last.more++
    this.#malformed.set(kind, { atMs: now, more: 0 })
    const more = last && last.more > 0 ? `; ${last.more} more since the last report` : ''
    this.#options.log.error(
      { code: 'ERR_CLUSTER', redis: this.shown },
      `${this.shown}: ignored a malformed ${kind}: ${fault}${more}. Another program writes there: restrict access with the ACL rules of the cluster guide`,
    )
  }

  /** The reason of a failure in one line without secrets. */
  reasonOf(error: unknown): string {
    // A command that goes with its connection knows nothing of what ended it.
    if (isAnswer(error)) return reasonOf(error, this.#address)
    return this.#lastError === undefined ? 'the connection ended' : reasonOf(this.#lastError, this.#address)
  }

  /**
   * The error for something that this Redis makes impossible: its address, the fact, the fix. `ERR_CONFIG` if the operator has to fix it,
   * `ERR_CLUSTER` where the next try may find it well.
   */
  wrong(fact: string, code: 'ERR_CLUSTER' | 'ERR_CONFIG' = 'ERR_CONFIG'): BotwrightError {
    return new BotwrightError(code, `cluster: ${this.shown}: ${fact}`)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#checking?.cancel()
    this.#telling?.cancel()
    this.#channels.clear()
    await Promise.all([this.redis, ...this.#others].map((redis) => end(redis, this.#options.clock)))
    this.#hearers.clear()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #make(name: string, options: Options): Redis {
    const redis = new Redis({
      ...this.#address.options,
      connectionName: name.replaceAll(/[^\x21-\x7e]/g, '-'),
      connectTimeout: this.#options.answerMs ?? ANSWER_MS,
      // Half of a second at most: a lease is short.
      retryStrategy: (times) => Math.min(20 * 2 ** Math.min(times, 10), 500) * (0.75 + Math.random() / 4),
      // A master that became a replica: its address may lead to the new one.
      reconnectOnError: isDemoted,
      maxLoadingRetryTime: 1000,
      ...options,
    })
    redis.setMaxListeners(0)
    return redis
  }

  async #begin(): Promise<void> {
    const { clock, startMs = START_MS } = this.#options
    let over: ((why: unknown) => void) | undefined
    const failed = new Promise<never>((_, reject) => (over = reject))
    const onError = (error: unknown) => {
      if (!mayPass(error)) over!(error)
    }
    this.redis.on('error', onError)
    const timer = clock.after(startMs, () => over!(this.#lastError ?? new Error('ETIMEDOUT')), { keepAlive: true })
    const ready = new Promise<void>((resolve) => this.redis.once('ready', resolve))
    // Errors arrive as events.
    this.redis.connect().catch(() => {})
    try {
      await Promise.race([ready, failed])
    } catch (error) {
      const reason = reasonOf(error, this.#address)
      throw this.wrong(`Redis cannot be used: ${reason}`, mayPass(error) ? 'ERR_CLUSTER' : 'ERR_CONFIG')
    } finally {
      timer.cancel()
      this.redis.off('error', onError)
    }
    this.#server = await startOf(this.redis).catch(() => '')
    this.#lastError = undefined
    this.redis.on('close', () => this.#isAway())
    this.redis.on('ready', () => void this.#isBack())
  }

  #isAway(): void {
    if (this.#closed || this.#awaySinceMs !== undefined) return
    const { clock } = this.#options
    this.#awaySinceMs = clock.monotonic()
    this.#telling = clock.after(TELL_AFTER_MS, () => this.#tellAway())
    this.#notify((hearer) => hearer.away?.())
  }

  #tellAway(): void {
    this.#telling?.cancel()
    this.#telling = undefined
    this.#options.log.error(
      { code: 'ERR_CLUSTER', redis: this.shown },
      `${this.shown}: Redis is unavailable: ${this.reasonOf(this.#lastError)}; no new event starts until it is back, and nothing is lost`,
    )
  }

  async #isBack(): Promise<void> {
    const server = await startOf(this.redis).catch(() => '')
    // Gone again meanwhile: the next connection counts.
    if (this.#closed || this.redis.status !== 'ready' || this.#awaySinceMs === undefined) return
    const awayMs = Math.round(this.#options.clock.monotonic() - this.#awaySinceMs)
    const sameServer = server !== '' && server === this.#server
    this.#server = server
    if (this.#telling && !sameServer) this.#tellAway()
    this.#awaySinceMs = undefined
    this.#lastError = undefined
    if (this.#telling) {
      this.#telling.cancel()
      this.#telling = undefined
    } else
      this.#options.log.info(
        { redis: this.shown, awayMs },
        `${this.shown}: Redis is back after ${(awayMs / 1000).toFixed(1)} s${sameServer ? '' : ', with a new server process'}`,
      )
    this.#notify((hearer) => hearer.back?.({ sameServer }))
  }

  /** An error of one listener must neither reach the others nor end the process. */
  #notify(call: (hearer: Hearer) => void): void {
    for (const hearer of this.#hearers)
      try {
        call(hearer)
      } catch (error) {
        const text = `${this.shown}: a change of the connection could not be handled: ${(error as Error).message}`
        this.#options.log.error({ error }, text)
      }
  }

  #subscribe(): Redis {
    const { answerMs = ANSWER_MS, clock } = this.#options
    // ioredis itself would leave the promise of a repeated subscription alone, whose rejection ends the process.
    const redis = this.another('hears', { autoResubscribe: false, socketTimeout: answerMs })
    redis.on('ready', () => {
      if (this.#channels.size === 0) return
      const subscribed = redis.subscribe(...this.#channels.keys())
      void bestEffort(subscribed.then(() => this.#notify((hearer) => hearer.missed?.())))
    })
    // A connection that was cut silently receives nothing, and ends only if something is sent.
    const check = (): void => {
      this.#checking = clock.after(answerMs, check)
      if (redis.status === 'ready') void bestEffort(redis.ping())
    }
    check()
    redis.on('message', (channel: string, text: string) => {
      for (const heard of this.#channels.get(channel) ?? [])
        try {
          heard(text)
        } catch (error) {
          this.#options.log.error({ error, channel }, `${this.shown}: a message on a channel could not be read`)
        }
    })
    return redis
  }
}

/** Identifies the server process: each start has another text. Empty if the server does not report it. */
export async function startOf(redis: Redis): Promise<string> {
  return /^run_id:(\w+)/m.exec(await redis.info('server'))?.[1] ?? ''
}

/** Whether Redis replied with an error; otherwise no reply came. */
export const isAnswer = (error: unknown): boolean => (error as Error | undefined)?.name === 'ReplyError'

/** Ends a connection, whatever it is doing. ioredis waits 2 s for the end of one that has ended already, and the process with it. */
export function hangUp(redis: Redis): void {
  if (redis.status !== 'end') redis.disconnect()
}

/** The same; resolves when it has ended. */
async function end(redis: Redis, clock: Clock): Promise<void> {
  const connected = redis.status === 'ready' || redis.status === 'connect' || redis.status === 'connecting'
  const ended = new Promise<void>((resolve) => redis.once('end', resolve))
  hangUp(redis)
  if (!connected) return
  await within(clock, CLOSE_MS, ended)
}

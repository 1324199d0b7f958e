// Messages that the bot sends by itself wait in the store until the quiet hours of their server are over.

import { type Clock, preciseTime } from '@botwright/clock'
import { BotwrightError, BoundedMap, lowerId } from '@botwright/protocol/facts'
import type { BotProfile, EndpointName, Input, Message, Output } from '@botwright/protocol/shapes'
import { type Call, type CallOptions, checkCall, ServiceError } from '@botwright/rest'
import type { Config } from '../../author/config/config.ts'
import { codeOf, isReplyGone } from '../../author/error-code.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import { RETENTION_MS } from '../../author/state/once.ts'
import type { Claims } from '../../link/claims.ts'
import { ownDelivery } from '../../link/task-event.ts'
import { againMsOf, DueRowRunner, OTHERS_MS, RETRY_MS, type Work } from '../due-rows/due-row-runner.ts'
import type { Observer } from '../../runtime/ports/observer.ts'
import { readParams, storeParams } from '../broadcasts/kept-params.ts'
import { deleteMany } from './delete-held.ts'
import { followHeldId, type HeldMessage, heldView, isHeldId, newHeldId, sentIdOf } from './held-messages.ts'
import { heldPrefix, sentPrefix } from './held-prefix.ts'
import { QuietTimes } from './quiet-times.ts'

/** The service refuses a message that equals the last one of its channel, for some time. */
const MOST_REFUSALS = 3
const MOST_CHANNELS = 1000
/** The message is certainly not sent, and can be later. */
const temporary = new Set(['ERR_NO_ANSWER', 'ERR_QUEUE_FULL', 'ERR_ABORTED', 'ERR_UNAUTHORIZED', 'ERR_FENCED'])

/** `channel #general`, or the id of a channel that has no known name. */
const nameOf = ({ channel_id, channel_name }: { channel_id: string; channel_name?: string | undefined }): string =>
  `channel ${channel_name === undefined ? channel_id : `#${channel_name}`}`

/** The message to send after a refusal: without its reference, if the message that it answers is gone. `ctx.reply` does the same. */
function afterRefusal(message: HeldMessage['message'], error: unknown): HeldMessage['message'] {
  const { reply_to, ...alone } = message
  return reply_to !== undefined && isReplyGone(error) ? alone : message
}

type Place = Required<Pick<HeldMessage, 'server_id' | 'channel_name'>>

interface Row {
  key: string
  value: HeldMessage
  version: number
}

export interface QuietHoursHost {
  config: Pick<Config, 'quietHours' | 'env'>
  me: BotProfile
  store: StateStore
  clock: Clock
  log: Log
  /** The other features: they see each message that is sent. */
  observer: Observer
  claims?: Claims | undefined
  /** See `Backend`. */
  callOf: (call: Call) => Call
  loading?: ((looking: Promise<unknown>) => void) | undefined
}

export class QuietHours implements Observer {
  readonly #host: QuietHoursHost
  readonly #times: QuietTimes
  readonly #rows: DueRowRunner<Row>
  readonly #places = new BoundedMap<string, Promise<Place | null>>(MOST_CHANNELS)
  readonly #closing = new AbortController()
  #call!: Call

  constructor(host: QuietHoursHost) {
    const { claims, clock, config, loading, log } = host
    this.#host = host
    this.#times = new QuietTimes(config)
    this.#rows = new DueRowRunner({
      // One after the other: so messages keep their order.
      ...{
        clock,
        log,
        loading,
        claims,
        name: 'the held messages',
        concurrent: 1,
        ...(claims && { pollMs: OTHERS_MS }),
      },
      // All of them: they are not in the order of their times, so one that is due may be behind any number of others.
      list: () => this.#list(),
      dueMs: () => 0,
      begin: (row, rows) => this.#begin(row, rows),
      failed: (_, error) => log.error({ error }, `a held message could not be sent (${error.message}); trying again`),
    })
  }

  /** Before the first message is held. A store that fails is read again later. */
  async opens(): Promise<void> {
    await this.#list().catch(() => undefined)
  }

  ready(): void {
    this.#rows.look()
  }

  stopping(): void {
    this.#closing.abort()
    void this.#rows.stop()
  }

  ended(): Promise<void> {
    return this.#rows.stop()
  }

  calls(call: Call): Call {
    this.#call = call
    return async <N extends EndpointName>(name: N, given: Input<N>, options: CallOptions = {}): Promise<Output<N>> => {
      const raw = given as Record<string, unknown>
      // Await only if necessary: messages enter the budget's queue in the order of their calls.
      const input = isHeldId(raw['reply_to']) ? await this.#withSentId(raw) : raw
      if (name === 'messages.create' && options.priority === 'broadcast')
        return (await this.#send(input as Input<'messages.create'>, options)) as Output<N>
      const next = (changed: object = input) => call(name, changed as Input<N>, options)
      const { ids } = input
      if (name === 'messages.bulkDelete' && Array.isArray(ids) && ids.some(isHeldId))
        return (await this.#deleteMany(input, next)) as Output<N>
      const id = input['message_id']
      return isHeldId(id) ? ((await this.#change(lowerId(id), name, input, next)) as Output<N>) : next()
    }
  }

  /** A message that answers one that was held: with its id in the channel, once it is sent. */
  async #withSentId<T extends object>(message: T & { reply_to?: unknown }): Promise<T> {
    const reply_to = await sentIdOf(this.#host.store, message.reply_to)
    return reply_to === undefined ? message : { ...message, reply_to }
  }

  async #send(given: Input<'messages.create'>, options: CallOptions): Promise<unknown> {
    const { clock } = this.#host
    // Rows of one channel are found by its id.
    const message = { ...given, channel_id: lowerId(given.channel_id) }
    const id = newHeldId(clock.now())
    // At once: it must not wait for a slot of the budget, or take that of an answer.
    if (this.#times.isQuiet(clock.now())) {
      await checkCall('messages.create', message)
      const untilMs = await this.#endMs(message.channel_id)
      if (untilMs !== undefined) return this.#hold(id, message, untilMs, options)
    }
    // Otherwise it is held when its request would leave.
    let held: Message | undefined
    const leaving = async () => {
      const untilMs = await this.#untilMs(message.channel_id, options)
      if (untilMs === undefined) return options.leaving?.()
      held = await this.#hold(id, message, untilMs, options)
      throw new Error('held')
    }
    return this.#call('messages.create', message, { ...options, leaving }).catch((error: unknown) => {
      if (held) return held
      throw error
    })
  }

  /** Those of all channels. Messages that are held later are sent after them, even if the clock was set back. */
  async #list(): Promise<readonly Row[]> {
    const rows = (await this.#host.store.list(heldPrefix)) as Row[]
    const last = rows.at(-1)
    if (last) followHeldId(last.key.slice(heldPrefix.length))
    return rows
  }

  /** When the quiet hours of a channel end. Undefined if it has none now. */
  async #endMs(channel_id: string): Promise<number | undefined> {
    const nowMs = this.#host.clock.now()
    const place = this.#times.isQuiet(nowMs) ? await this.#placeOf(channel_id) : null
    return typeof place?.server_id === 'string' ? this.#times.endMs(place.server_id, nowMs) : undefined
  }

  /** When a message to this channel may be sent. Undefined: now. */
  async #untilMs(channel_id: string, { refusesHold }: CallOptions): Promise<number | undefined> {
    const nowMs = this.#host.clock.now()
    const endMs = await this.#endMs(channel_id)
    if (endMs !== undefined || refusesHold) return endMs
    // Behind those that are still held.
    const rows = await this.#list()
    return rows.some(({ value }) => value.message.channel_id === channel_id) ? nowMs : undefined
  }

  /** Null for direct messages, and for channels that the bot does not see. */
  #placeOf(channel_id: string): Promise<Place | null> {
    const known = this.#places.get(channel_id)
    if (known) return known
    const asked = this.#call('channels.get', { channel_id }).then(
      ({ channel: { name, server_id } }) => ({ server_id, channel_name: name }),
      (error: ServiceError) => {
        // It may see the channel later.
        this.#places.delete(channel_id)
        if (error.status === 403 || error.status === 404) return null
        throw error
      },
    )
    this.#places.set(channel_id, asked)
    return asked
  }

  async #hold(id: string, message: Input<'messages.create'>, untilMs: number, options: CallOptions): Promise<Message> {
    const { clock, log, me, store } = this.#host
    const { channel_id } = message
    const until = new Date(untilMs).toISOString()
    const place = await this.#placeOf(channel_id)
    const where = nameOf({ channel_id, ...place })
    if (options.refusesHold) {
      // A broadcast keeps its own messages, as for a channel in slow mode.
      log.info({ channel_id, until }, `a broadcast to ${where} waits until ${until} (quiet hours)`)
      const retryAfterSeconds = Math.ceil((untilMs - clock.now()) / 1000)
      const facts = { status: 0, endpoint: 'messages.create', retryAfterSeconds }
      throw new ServiceError('ERR_RATE_LIMITED', `messages.create: quiet hours until ${until}`, facts)
    }
    const nowMs = clock.now()
    const params = await readParams(store, message.components, nowMs)
    const facts = { server_id: '', ...place, heldMs: nowMs, untilMs, ...(params && { params }) }
    // An instance that is no longer a member holds nothing.
    await options.leaving?.()
    const row: HeldMessage = { state: 'waiting', message, ...facts }
    await store.set(heldPrefix + id, row)
    log.info({ code: 'message-held', channel_id, until }, `a message to ${where} is held until ${until}`)
    this.#rows.look()
    return heldView(id, row, me)
  }

  async #deleteMany(input: Record<string, unknown>, next: (input: object) => Promise<unknown>): Promise<unknown> {
    await checkCall('messages.bulkDelete', input)
    const done = await deleteMany(this.#host.store, input as Input<'messages.bulkDelete'>, next)
    // Others may be behind those that are gone.
    this.#rows.look()
    return done
  }

  /** A call about a message that is held, or was. */
  async #change(
    id: string,
    name: string,
    input: Record<string, unknown>,
    next: (input?: Record<string, unknown>) => Promise<unknown>,
  ): Promise<unknown> {
    const { clock, me, store } = this.#host
    const key = heldPrefix + id
    for (;;) {
      const found = (await store.get(key)) as Omit<Row, 'key'> | undefined
      const sent = await store.get(sentPrefix + id)
      if (sent) return next({ ...input, message_id: sent.value })
      if (!found) return next()
      const { value, version: expected } = found
      const isDelete = name === 'messages.delete'
      if (value.state !== 'waiting' || !(isDelete || name === 'messages.update')) {
        const fact = value.state === 'waiting' ? 'held for quiet hours' : 'being sent after quiet hours'
        const fix = 'a held message can only be edited or deleted; repeat the call when it is sent'
        throw new BotwrightError('ERR_INVALID_REQUEST', `${name}: the message is ${fact}: ${fix}`)
      }
      if (isDelete && (await store.delete(key, { expected }))) {
        // Others may be behind it.
        this.#rows.look()
        return { ok: true }
      }
      if (isDelete) continue
      await checkCall('messages.update', input)
      // As a request has it: without undefined values.
      const { channel_id: _channel, message_id: _id, ...changes } = JSON.parse(JSON.stringify(input)) as typeof input
      const parts = Object.entries({ ...value.message, ...changes }).filter(([, part]) => part !== null)
      const message = Object.fromEntries(parts) as HeldMessage['message']
      await checkCall('messages.create', message)
      const { params: former, ...rest } = value
      const params = 'components' in changes ? await readParams(store, message.components, clock.now()) : former
      const untilMs = this.#times.endMs(value.server_id, clock.now()) ?? clock.now()
      const row: HeldMessage = { ...rest, message, untilMs, ...(params && { params }) }
      if (await store.set(key, row, { expected })) return heldView(id, row, me)
    }
  }

  async #begin({ key, value, version }: Row, rows: readonly Row[]): Promise<Work | number | undefined> {
    const { claims, clock, log, store } = this.#host
    const { againMs = 0, message, server_id, state, waitMs = Infinity } = value
    const nowMs = clock.now()
    if (state !== 'waiting' && (await this.#rows.isActive(key, value))) return nowMs + OTHERS_MS
    if (state === 'sending') {
      const fact = 'the process ended during the send: the message may have arrived'
      log.error({ key }, `a held message to ${nameOf({ ...value, ...message })} is not sent again: ${fact}`)
      await store.delete(key, { expected: version })
      return undefined
    }
    const waitsMs = this.#times.endMs(server_id, nowMs) ?? againMsOf(againMs, waitMs, nowMs)
    if (waitsMs > nowMs) return waitsMs
    const isBehind = rows.some((one) => one.key < key && one.value.message.channel_id === message.channel_id)
    if (isBehind) return claims ? nowMs + OTHERS_MS : Infinity
    const running: HeldMessage = { ...value, state: 'running' }
    const claim = await this.#rows.claimAs(store, { key, value, version }, running)
    return claim && (() => this.#deliver(key, claim))
  }

  /** Returns the write of the result. */
  async #deliver(key: string, row: HeldMessage): Promise<() => Promise<unknown>> {
    const { clock, log, observer, store } = this.#host
    const { channel_id } = row.message
    const { channel_name, server_id } = row
    const where = nameOf({ channel_id, channel_name })
    const input = await this.#withSentId(row.message)
    const work = { channel_id, channel_name, server_id, held_at: new Date(row.heldMs).toISOString() }
    const delivery = ownDelivery('held_message', work, clock.now(), false)
    const { id: eventId, type } = delivery.event
    const over = observer.workBegan?.(delivery)
    const [atMs, name] = [preciseTime(), 'messages.create'] as const
    const report = (end: { value: Message } | { error: Error }, again?: true) => {
      const ms = preciseTime() - atMs
      observer.called?.({ eventId, name, input, atMs, ms, budgetMs: 0, attempts: 1, ...end })
      const failure = 'error' in end && { message: end.error.message, at: '', reference: '' }
      const result = failure ? ({ result: 'error', error: failure } as const) : ({ result: 'ok' } as const)
      observer.outcome?.({ eventId, type, file: undefined, ms, ...result, ...(again && { again }) })
      over?.()
    }
    /** False: another instance has taken the row over. */
    const write = async (next: HeldMessage): Promise<boolean> => {
      const found = (await store.get(key)) as Omit<Row, 'key'> | undefined
      const isOwn = found !== undefined && found.value.state !== 'waiting' && found.value.machine === row.machine
      return isOwn && store.set(key, next, { expected: found.version })
    }
    let isSending = false
    let isUnmarked = false
    let isTaken = false
    const stop = new AbortController()
    const stopped = () => isSending || stop.abort()
    this.#closing.signal.addEventListener('abort', stopped)
    // The stop may have come while the row was claimed.
    if (this.#closing.signal.aborted) stop.abort()
    const leaving = async () => {
      isUnmarked = true
      stop.signal.throwIfAborted()
      await storeParams(store, row.params, clock.now())
      isTaken = !(await write({ ...row, state: 'sending' }))
      if (isTaken) throw new BotwrightError('ERR_FENCED', 'another instance sends this held message')
      isUnmarked = false
      isSending = true
    }
    const stayed = async () => {
      isSending = false
      isUnmarked = true
      await write(row)
    }
    const options = { priority: 'broadcast', refusesHold: true, leaving, stayed, signal: stop.signal } as const
    try {
      const value = await this.#host.callOf(this.#call)(name, input, options)
      report({ value })
      log.info({ channel_id, message: value.id }, `a held message was sent to ${where}`)
      return async () => {
        const id = key.slice(heldPrefix.length)
        // The id that it had while it was held may be a result of `ctx.once`.
        await store.set(sentPrefix + id, value.id, { expiresAtMs: clock.now() + RETENTION_MS })
        await store.delete(key)
      }
    } catch (thrown) {
      const error = thrown as ServiceError
      const code = codeOf(error) ?? ''
      const message = afterRefusal(row.message, error)
      const isAlone = message !== row.message
      const usualMs = code === 'ERR_ABORTED' || isAlone ? 0 : RETRY_MS
      const waitMs = error.retryAfterSeconds === undefined ? usualMs : error.retryAfterSeconds * 1000
      const isRefused = code === 'ERR_RATE_LIMITED' && error.retryAfterSeconds === undefined
      const refusals = (row.refusals ?? 0) + (isRefused ? 1 : 0)
      const isLimited = code === 'ERR_RATE_LIMITED' && refusals < MOST_REFUSALS
      const isTemporary = isUnmarked || isAlone || isLimited || temporary.has(code)
      report({ error }, isTemporary || undefined)
      const again: HeldMessage = { ...row, message, state: 'waiting', againMs: clock.now() + waitMs, waitMs, refusals }
      const text = `a held message to ${where} is tried again in ${waitMs / 1000} s: ${error.message}`
      if (isTemporary && !isTaken && !this.#rows.stopped) log.info({ channel_id }, text)
      if (isTemporary) return () => write(again)
      log.error({ channel_id }, `a held message to ${where} could not be sent: ${error.message}`)
      return () => store.delete(key)
    } finally {
      this.#closing.signal.removeEventListener('abort', stopped)
    }
  }
}

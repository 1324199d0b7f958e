// One call of an endpoint, through its checks, the message budget and the retries.

import { setMaxListeners } from 'node:events'
import type { Clock } from '@botwright/clock'
import { requestPath } from '@botwright/protocol/requests'
import { AnswersOfCall } from './click-answers.ts'
import { baseOf } from './connection/base-url.ts'
import { type CallHost, hostOf } from './calls/call-host.ts'
import type { Call, CallHandle, CallOptions, RestOptions, RestStats } from './call-types.ts'
import type { checkInput } from './check-input.ts'
import { aborted, cleanCause, type ServiceError } from './errors.ts'
import type { LimitStore } from './limit-store.ts'
import { orderOf, type Place, placeOf, Places } from './places.ts'
import { proxyFor } from './connection/proxy.ts'
import { readerOf } from './read.ts'
import { behind, held, limitOf, refuse } from './refuse.ts'
import { reportCommands } from './reports.ts'
import { invalid, partsOf, planOf, takesInput, type Plan } from './request.ts'
import { attempt, type Attempts, clampSeconds, mayHaveEffect, timeOf } from './retry.ts'
import { aheadMsOf } from './service-date.ts'
import type { Answer, Connect, Sending, Transporting } from './connection/exchange.ts'
import { uploadBody } from './upload.ts'

const isChecked = (plan: Plan, { unchecked }: CallOptions): boolean => unchecked !== true && takesInput(plan)

interface Ready {
  plan: Plan
  read: (answer: Answer) => unknown
  /** See `Place.order`. */
  order: string | undefined
}

/**
 * Calls the service: builds and checks the request, waits for the message budget, sends it, retries if that is safe, and reads the response.
 * Rejects with a `BotwrightError` of code `ERR_INVALID_REQUEST` (nothing was sent) or with a `ServiceError`.
 */
export function createCallOver(options: RestOptions, connect: Connect): CallHandle {
  const { token, timeoutMs = 15_000, onReport } = options
  const base = baseOf(options.baseUrl)
  if (token === '' || /[^\x21-\x7e]/.test(token))
    throw invalid('rest', 'the token is empty or not plain text; set BOT_TOKEN')
  const host = hostOf(options, timeoutMs)
  const { answers, budget, closing, counts } = host
  const { transport, feed } = connections(options, connect, { origin: base.origin, clock: host.elapsed })
  // Functions create a client for each event, which calls one or two endpoints.
  const ready = new Map<string, Ready>()
  const authorization = ['authorization', `Bot ${token}`, 'accept', 'application/json']
  const withJson = [...authorization, 'content-type', 'application/json']
  const withoutToken = ['accept', 'application/json', 'content-type', 'application/json']
  let check: typeof checkInput | undefined
  let closed: Promise<void> | undefined

  async function close(): Promise<void> {
    closing.begin()
    budget?.close()
    await Promise.all([feed.destroy(), transport.close()])
  }

  async function warm(): Promise<void> {
    check ??= (await import('./check-input.ts')).checkInput
  }

  function requestOf(name: string, plan: Plan, input: Record<string, unknown>, callOptions: CallOptions): Request {
    const parts = partsOf(plan, input)
    if (isChecked(plan, callOptions)) check!(name, parts)
    const bare = plan.route.auth === 'path_token'
    const body = parts.body === undefined ? null : JSON.stringify(parts.body)
    const headers = bare ? withoutToken : body === null ? authorization : withJson
    const { signal, timeoutMs: limit = timeoutMs } = callOptions
    return {
      sending: { method: plan.route.method, path: requestPath(plan, parts), headers, body, timeoutMs: limit, signal },
      secrets: bare ? [token, input['token'] as string] : [token],
      click: bare ? (input['interaction_id'] as string) : undefined,
    }
  }

  async function run(name: string, input: Record<string, unknown>, callOptions: CallOptions): Promise<unknown> {
    const one = ready.get(name) ?? prepare(name, base.path)
    ready.set(name, one)
    const { plan } = one
    // Await only if necessary: messages enter the budget's queue in the order of their calls.
    if (check === undefined && isChecked(plan, callOptions)) await warm()
    const request = requestOf(name, plan, input, callOptions)
    if (plan.route.upload !== undefined) {
      const { body, contentType } = await uploadBody(name, plan.route.upload, input)
      Object.assign(request.sending, { body, headers: [...authorization, 'content-type', contentType] })
    }
    if (name === 'commands.replace') reportCommands(input, onReport)
    const isFeed = name === 'events.list'
    return new OneCall(host, { ready: one, request, input, isFeed, via: isFeed ? feed : transport }, callOptions).run()
  }

  const call = ((name: string, input: Record<string, unknown>, callOptions: CallOptions = {}) =>
    run(name, input, callOptions)) as unknown as Call
  return Object.assign(call, {
    answers,
    warm,
    stats: (): RestStats => ({
      ...counts,
      waiting: budget?.waiting ?? 0,
      used: budget?.used ?? 0,
      limit: budget?.limit ?? Infinity,
      freeInMs: budget && budget.used >= budget.limit ? budget.waitMs : 0,
      dateAheadMs: host.date && aheadMsOf(host.date),
    }),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  })
}

function prepare(name: string, prefix: string): Ready {
  const plan = planOf(name, prefix)
  return { plan, read: readerOf(plan.route), order: orderOf(plan) }
}

/** A poll occupies its connection for 25 s, so the feed has its own. */
function connections(options: RestOptions, connect: Connect, { origin, clock }: { origin: string; clock: Clock }) {
  const open = (most: number) =>
    connect(origin, {
      ...{ clock, maxBytes: options.maxAnswerBytes ?? 32 * 1024 * 1024, connections: most },
      // Read only by connections of this process: platforms with `fetch` configure proxies themselves.
      get proxy() {
        return proxyFor(origin)
      },
    })
  return { transport: open(options.connections ?? 64), feed: open(4) }
}

/** A checked call, ready to be sent. */
interface Request {
  sending: Sending
  secrets: readonly string[]
  /** The id of the interaction that it answers, if any. */
  click: string | undefined
}

interface Prepared {
  ready: Ready
  request: Request
  input: Record<string, unknown>
  isFeed: boolean
  via: Pick<Transporting, 'send'>
}

/** Runs one call to its result, once. */
class OneCall implements Attempts<unknown> {
  readonly endpoint: string
  readonly repeatable: boolean
  readonly retry: boolean
  readonly removes: boolean
  readonly secrets: readonly string[]
  readonly signal: AbortSignal | undefined
  readonly totalMs: number
  readonly read: (answer: Answer) => unknown
  longestWaitMs: number
  readonly #host: CallHost
  readonly #call: Prepared
  readonly #plan: Plan
  readonly #options: CallOptions
  readonly #budget: LimitStore | undefined
  readonly #beganMs: number
  /** The feed waits by itself, and an ack must not wait behind the answer that it stands for. */
  readonly #waits: boolean
  /** Of a call that answers a click. */
  readonly #answer: AnswersOfCall | undefined
  #place: Place | undefined
  /** The calls that were refused before this one, and are sent again before it. */
  #before: Promise<void> | undefined
  /** Whether a request may have reached the service, which does not count those that it refuses with 429. */
  #left = false
  #hasSlot = false
  #sentWithSlot = false
  #endDelay: (() => void) | undefined
  /** Lets the calls after this one continue. */
  #end: (() => void) | undefined

  constructor(host: CallHost, call: Prepared, options: CallOptions) {
    const { input, isFeed, ready, request } = call
    const { order, plan } = ready
    const { click, secrets, sending } = request
    this.#host = host
    this.#call = call
    this.#plan = plan
    this.#options = options
    this.endpoint = plan.name
    // An ack shows nothing, so a second one does no harm.
    this.repeatable = plan.route.repeatable || (click !== undefined && input['type'] === 'ack')
    this.retry = !isFeed
    this.removes = plan.route.method === 'DELETE'
    this.secrets = secrets
    this.signal = options.signal
    // A handler may pass its one signal to many calls.
    if (this.signal) setMaxListeners(0, this.signal)
    this.totalMs = 2 * sending.timeoutMs
    this.read = ready.read
    this.longestWaitMs = options.refusesHold === true ? 0 : host.longestWaitMs
    this.#budget = plan.name === 'messages.create' ? host.budget : undefined
    this.#beganMs = options.longestWaitMs === undefined ? 0 : host.elapsed.monotonic()
    if (click !== undefined) this.#answer = new AnswersOfCall(host.answers, click)
    this.#waits = !isFeed && !(click !== undefined && input['type'] === 'ack')
    // Costs a message nothing while no call waits.
    if (this.#waits && (host.places || order !== undefined)) this.#place = placeOf(plan, input)
  }

  get closing(): AbortSignal {
    return this.#host.closing.signal
  }

  async run(): Promise<unknown> {
    const { elapsed, random } = this.#host
    this.#answer?.take()
    try {
      const allowed = this.#waitForPlace()
      if (allowed) await allowed
      try {
        return await attempt(this, elapsed, random)
      } finally {
        if (this.#hasSlot) this.#giveSlotBack(this.#left)
      }
    } finally {
      this.#answer?.end()
      this.#end?.()
    }
  }

  /** Undefined if the call may begin at once: messages enter the budget's queue in the order of their calls. */
  #waitForPlace(): Promise<void> | undefined {
    const place = this.#place
    if (!place) return undefined
    const before = this.#host.places?.before(place)
    if (before || this.#call.ready.order !== undefined) this.#blockOthers(place)
    const { places } = this.#host
    return places && (before || places.leftMs(place) > 0) ? this.#waitFor(places, place, before) : undefined
  }

  async #waitFor(places: Places, place: Place, before: Promise<void> | undefined): Promise<void> {
    this.#waitsFor(`${this.endpoint} to be allowed again: the service asked to wait`)
    const longestMs = Math.min(this.longestWaitMs, this.leftToWaitMs())
    const stops = [this.signal, this.closing]
    const waiting = places.wait(place, { before, longestMs, stops }).finally(() => this.onWaited())
    const { leftMs, waitedMs, isBehind } = await waiting.catch((reason: unknown) => {
      throw aborted(this.endpoint, cleanCause(reason, this.secrets))
    })
    if (leftMs > 0) throw held(this.#plan, Math.ceil(leftMs / 1000))
    if (isBehind) throw behind(this.#plan, Math.round(waitedMs / 1000))
    this.longestWaitMs -= waitedMs
  }

  /** How long this call may still wait because the service asks for it. */
  leftToWaitMs(): number {
    const { longestWaitMs } = this.#options
    if (longestWaitMs === undefined) return Infinity
    return Math.max(0, longestWaitMs - (this.#host.elapsed.monotonic() - this.#beganMs))
  }

  ready(): Promise<void> | void {
    const before = this.#before
    if (!before) return this.#takeSlot()
    this.#before = undefined
    return this.#waitFor(this.#host.places!, this.#place!, before).then(() => this.#takeSlot())
  }

  #takeSlot(): Promise<void> | void {
    const budget = this.#budget
    if (!budget || this.#hasSlot) return undefined
    const turn = budget.take(this.#options.priority ?? 'reply', this.signal)
    if (turn === undefined) return void (this.#hasSlot = true)
    // A shared budget is asked every time; that does not count as waiting.
    if (budget.waiting > 0) {
      this.#host.reportWaiting(budget.waitMs)
      this.#options.waiting?.()
      this.#waitsFor('a slot, because the message budget is used up')
    }
    return turn.finally(() => this.onWaited()).then(() => void (this.#hasSlot = true))
  }

  send(): Promise<Answer> {
    const { leaving } = this.#options
    return leaving ? this.#sendAfter(leaving) : this.#send()
  }

  async #sendAfter(before: NonNullable<CallOptions['leaving']>): Promise<Answer> {
    await before()
    return this.#send()
  }

  #send(): Promise<Answer> {
    const host = this.#host
    const { counts, onTraffic } = host
    this.#answer?.leaves()
    counts.requests++
    if (this.#sentWithSlot) this.#budget?.again()
    this.#sentWithSlot = this.#hasSlot
    onTraffic?.(this.endpoint, 1)
    return this.#call.via.send(this.#call.request.sending).then(
      (answer) => {
        onTraffic?.(this.endpoint, -1)
        const { date } = answer.headers
        if (date !== host.date?.value) host.date = { value: date, atMs: answer.beganMs ?? host.elapsed.now() }
        this.#answer?.arrived({ accepted: answer.status < 300, mayBeUsed: mayHaveEffect(answer.status) })
        if (answer.status === 429) counts.rateLimited++
        else this.#left = true
        if (this.endpoint === 'messages.create' && answer.status < 300) counts.sent++
        return answer
      },
      (failure: { left?: boolean }) => {
        onTraffic?.(this.endpoint, -1)
        this.#answer?.arrived({ accepted: false, mayBeUsed: failure.left === true })
        if (failure.left === true) this.#left = true
        throw failure
      },
    )
  }

  refuse(answer: Answer, seconds: number | undefined): ServiceError {
    return refuse(this.#plan, this.#call.input, answer, { secrets: this.secrets, seconds })
  }

  retryAfter(answer: Answer): number | undefined {
    const seconds = clampSeconds(answer.headers['retry-after'], timeOf(answer, this.#host.clock))
    if (seconds === undefined || !this.#waits) return seconds
    this.#place ??= placeOf(this.#plan, this.#call.input)
    // Calls that left together are sent again one after the other: otherwise, they would use up the attempts of each other.
    if (!this.#end) this.#before = this.#host.places?.before(this.#place)
    this.#blockOthers(this.#place).hold(this.#place, seconds * 1000)
    return seconds
  }

  onWait(ms: number, reason: 'rate' | 'fault', status: number): void | Promise<void> {
    const { counts, onReport } = this.#host
    const { stayed } = this.#options
    counts.retries++
    const after = status === 0 ? 'no answer' : `the answer ${status}`
    this.#waitsFor(`the next attempt of ${this.endpoint} after ${after}`)
    if (reason !== 'rate') return stayed?.()
    // Messages to other channels are sent meanwhile.
    if (this.#hasSlot) this.#giveSlotBack(false)
    onReport?.({
      level: 'warn',
      code: 'rate-limited',
      message: `${this.endpoint}: the service asked to wait ${ms / 1000} s (${limitOf(this.#plan)}); only calls under this limit wait`,
      endpoint: this.endpoint,
      status,
      waitMs: ms,
    })
    return stayed?.()
  }

  onWaited(): void {
    this.#endDelay?.()
    this.#endDelay = undefined
  }

  /** Broadcasts and other messages in the background wait without a handler. */
  #waitsFor(fact: string): void {
    if ((this.#options.priority ?? 'reply') === 'reply') this.#endDelay = this.#host.onDelay?.(fact)
  }

  #blockOthers(place: Place): Places {
    const places = (this.#host.places ??= new Places(this.#host.elapsed))
    if (!this.#end) places.block(place, new Promise((resolve) => (this.#end = resolve)))
    return places
  }

  #giveSlotBack(counts: boolean): void {
    this.#budget!.release(counts)
    this.#hasSlot = this.#sentWithSlot = false
  }
}

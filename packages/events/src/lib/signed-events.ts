import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Clock } from '@botwright/clock'
import { type BotEvent, isEventId, isObject, isShallow, MAX_DEPTH } from './bot-event.ts'
import { type Report, reasonOf } from './report.ts'

/** Which event webhooks to accept, and how to handle them. */
export interface SignedEventsOptions {
  /** A request may be signed with any of them: pass two while rotating a secret. None may be empty. */
  secrets: string[]
  /** Requests for another bot get 400. */
  botId?: string
  /** Stores the event. The service gets 200 once this resolves. */
  offer: (event: BotEvent) => Promise<void>
  report: Report
  clock: Clock
}

/** A request of the service, without HTTP. */
export interface SignedRequest {
  body: Buffer
  signature: string
  bot: unknown
  /** Stores this event instead of the `offer` of the options. */
  offer?: SignedEventsOptions['offer'] | undefined
}

/** The service waits 3 seconds (§4), so send a 503 before its timeout. A poll returns the event later. */
export const ANSWER_LIMIT_MS = 2500
const SIGNATURE = /^sha256=[0-9a-f]{64}$/i
const REPORT_AGAIN_MS = 60_000

export const isSignature = (value: unknown): value is string => typeof value === 'string' && SIGNATURE.test(value)

/** Counts of the requests that name this bot, since the start. Times are monotonic. */
export interface ReceiverStats {
  /** Those with the right signature. */
  accepted: number
  /** Those with a signature of another secret. */
  wrongSecret: number
  lastAcceptedMs?: number
  lastWrongSecretMs?: number
}

/** Checks event webhooks, and stores their events. */
export class SignedEvents {
  readonly stats: ReceiverStats = { accepted: 0, wrongSecret: 0 }
  readonly #options: SignedEventsOptions
  readonly #keys: readonly KeyObject[]
  readonly #reportedAtMs = new Map<string, number>()

  /** @throws TypeError if there is no secret or an empty one, which anyone could sign with. */
  constructor(options: SignedEventsOptions) {
    const { secrets } = options
    if (secrets.length === 0 || secrets.some((secret) => typeof secret !== 'string' || secret === ''))
      throw new TypeError(
        'the event receiver requires the webhook secret, which must not be empty: copy it from the Developer screen',
      )
    this.#options = options
    this.#keys = secrets.map((secret) => createSecretKey(Buffer.from(secret)))
  }

  /** Resolves with the status of the response. */
  async accept({ body, signature, bot, offer = this.#options.offer }: SignedRequest): Promise<200 | 400 | 401 | 503> {
    const { botId, clock } = this.#options
    if (!isSignature(signature)) return this.refuse()
    // A scanner names no bot, and neither does a program that only tries a secret.
    const isForBot = botId === undefined || bot === botId
    if (!isSigned(this.#keys, body, signature)) {
      if (isForBot) {
        this.stats.wrongSecret++
        this.stats.lastWrongSecretMs = clock.monotonic()
      }
      return this.refuse()
    }
    if (isForBot) {
      this.stats.accepted++
      this.stats.lastAcceptedMs = clock.monotonic()
    }
    const event = parseBody(body, clock.now())
    const why =
      typeof event === 'string'
        ? `refused a signed request (400): ${event}`
        : !isForBot
          ? 'refused a signed request for another bot (400): X-Service-Bot differs'
          : undefined
    if (why !== undefined) {
      this.report('webhook_refused', 'warn', why)
      return 400
    }
    return this.#stored(offer(event as BotEvent))
  }

  /** Resolves with 503 if the event is not stored, or not in time. */
  #stored(storing: Promise<void>): Promise<200 | 503> {
    return new Promise((resolve) => {
      let answered = false
      const answer = (status: 200 | 503, why?: string): void => {
        if (answered) return
        answered = true
        limit.cancel()
        if (why !== undefined) this.report('receiver_failed', 'error', `answered 503: ${why}`)
        resolve(status)
      }
      const limit = this.#options.clock.after(ANSWER_LIMIT_MS, () => answer(503, 'an event was not stored in time'))
      storing.then(
        () => answer(200),
        (error: unknown) => answer(503, reasonOf(error)),
      )
    })
  }

  /** A request without the right signature. */
  refuse(): 401 {
    this.report(
      'webhook_refused',
      'warn',
      'refused a request with a missing or wrong signature (401): if the service sent it, copy the webhook secret from the Developer screen into BOT_WEBHOOK_SECRET',
    )
    return 401
  }

  /** Anyone can send invalid requests, which must not flood the log. */
  report(code: 'webhook_refused' | 'receiver_failed', level: 'warn' | 'error', why: string): void {
    const now = this.#options.clock.monotonic()
    if (now - (this.#reportedAtMs.get(why) ?? -Infinity) < REPORT_AGAIN_MS) return
    this.#reportedAtMs.set(why, now)
    this.#options.report({ code, level, message: `the event receiver ${why}` })
  }
}

/** `signature` has the right form. Tries every key, each in constant time. */
function isSigned(keys: readonly KeyObject[], body: Buffer, signature: string): boolean {
  const given = Buffer.from(signature.slice(7), 'hex')
  let signed = false
  for (const key of keys) if (timingSafeEqual(createHmac('sha256', key).update(body).digest(), given)) signed = true
  return signed
}

/** Strict: bytes that are not UTF-8 are not JSON. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Converts `{id, event, data}` to the polled envelope (decisions, row 20). Returns the reason if it is invalid. */
function parseBody(body: Buffer, nowMs: number): BotEvent | string {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(body))
  } catch {
    return 'the body is not JSON'
  }
  if (!isObject(value)) return 'the body is not an object'
  const { id, event, data } = value
  if (!isEventId(id)) return 'the id is not a positive integer'
  if (typeof event !== 'string' || event === '') return 'the event is not a string'
  if (data !== undefined && data !== null && !isObject(data)) return 'the data is not an object'
  if (!isShallow(data)) return `the data is nested deeper than ${MAX_DEPTH}`
  const created_at = value['created_at']
  const time = typeof created_at === 'string' ? created_at : new Date(nowMs).toISOString()
  return { id, type: event, data: data ?? {}, created_at: time }
}

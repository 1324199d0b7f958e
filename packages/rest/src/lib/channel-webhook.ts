import { setMaxListeners } from 'node:events'
import { systemClock, type Clock } from '@botwright/clock'
import type { ChannelWebhook, ChannelWebhookPost, Message } from '@botwright/protocol/shapes'
import { BotwrightError, limits } from '@botwright/protocol/facts'
import { baseOf } from './connection/base-url.ts'
import { MessageBudget } from './budget.ts'
import { redact, refusal, ServiceError } from './errors.ts'
import { proxyFor } from './connection/proxy.ts'
import { json, readerOf } from './read.ts'
import { attempt, clampSeconds, LONGEST_WAIT_MS, timeOf } from './retry.ts'
import type { Answer, Connect, Transporting } from './connection/exchange.ts'
import { connectByHttp } from './connection/transport.ts'

/** Timeouts and retries of a channel webhook. */
export interface ChannelWebhookOptions {
  clock?: Clock
  /** For the complete response. Default: 15,000. */
  timeoutMs?: number
  random?: () => number
  maxAnswerBytes?: number
  signal?: AbortSignal
  // See `RestOptions`. For simulations.
  connect?: unknown
}

/** One channel webhook (§4), which posts to its channel without a bot. */
export interface ChannelWebhookClient extends AsyncDisposable {
  /** Posts. Resolves once the service has accepted it. */
  execute(post: ChannelWebhookPost): Promise<void>
  /** Posts and returns the message (`wait=true`). */
  executeAndWait(post: ChannelWebhookPost): Promise<Message>
  get(): Promise<ChannelWebhook>
}

const execute = 'channelWebhooks.execute'
const headers = ['accept', 'application/json', 'content-type', 'application/json']

/**
 * A client for the secret URL of one channel webhook. Refusals are `ServiceError` with `ERR_CHANNEL_WEBHOOK` and `webhookCode` (§7);
 * posts are queued to respect the limits of §8, and retried after a 429. No error contains the URL.
 */
export function createChannelWebhook(url: string, options: ChannelWebhookOptions = {}): ChannelWebhookClient {
  const { origin, path } = baseOf(url, 'the channel webhook URL')
  if (path.split('/').filter(Boolean).length < 2)
    throw new BotwrightError(
      'ERR_CONFIG',
      'the channel webhook URL does not end in its id and its token; copy the whole URL',
    )
  return new OneWebhook({ url, origin, path }, options)
}

const readMessage = readerOf({ method: 'POST', variant: { key: 'message', here: 'bare' }, ok: false })
const readWebhook = readerOf({ method: 'GET', variant: { key: 'webhook', here: 'bare' }, ok: false })

interface Post {
  body: string
  query: string
  /** Called when it may have reached the service, and therefore counts. */
  left: () => void
}

class OneWebhook implements ChannelWebhookClient {
  readonly #options: ChannelWebhookOptions
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #path: string
  readonly #secrets: readonly string[]
  readonly #transport: Transporting
  readonly #closing = new AbortController()
  /** Respect the limits of §8 here: posts that the service refuses would all be retried at the same time. The longer limit comes first. */
  readonly #budgets: readonly MessageBudget[]
  #closed: Promise<void> | undefined

  constructor({ url, origin, path }: Record<'url' | 'origin' | 'path', string>, options: ChannelWebhookOptions) {
    const { clock = systemClock, timeoutMs = 15_000, maxAnswerBytes: maxBytes = 32 * 1024 * 1024 } = options
    const connect = (options.connect as Connect | undefined) ?? connectByHttp
    this.#options = options
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.#path = path
    this.#secrets = [url, path, path.split('/').at(-1) ?? '']
    // Any number of calls may wait.
    setMaxListeners(0, this.#closing.signal)
    this.#budgets = [limits.channel_webhook_posts_per_channel, limits.channel_webhook_posts].map(
      ({ requests, seconds }) => new MessageBudget({ clock, timeoutMs, requests, seconds, endpoint: execute }),
    )
    this.#transport = connect(origin, { clock, maxBytes, connections: 4, proxy: proxyFor(origin) })
  }

  execute(message: ChannelWebhookPost): Promise<void> {
    return this.#post(message, '', () => undefined)
  }

  executeAndWait(message: ChannelWebhookPost): Promise<Message> {
    return this.#post(message, '?wait=true', (answer) => readMessage(answer) as Message)
  }

  get(): Promise<ChannelWebhook> {
    return this.#request('channelWebhooks.get', (answer) => readWebhook(answer) as ChannelWebhook)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closed ??= this.#close())
  }

  #close(): Promise<void> {
    this.#closing.abort()
    for (const budget of this.#budgets) budget.close()
    return this.#transport.close()
  }

  async #post<T>(message: ChannelWebhookPost, query: string, read: (answer: Answer) => T): Promise<T> {
    const { checkChannelWebhookPost } = await import('./check-input.ts')
    checkChannelWebhookPost(execute, message)
    let hasLeft = false
    const post = { body: JSON.stringify(message), query, left: () => void (hasLeft = true) }
    return this.#inTurn(
      this.#budgets,
      () => this.#request(execute, read, post),
      () => hasLeft,
    )
  }

  /** Runs it once each budget has a slot for it. `hasLeft`: whether it may have reached the service, and therefore counts. */
  async #inTurn<T>(
    [budget, ...others]: readonly MessageBudget[],
    work: () => Promise<T>,
    hasLeft: () => boolean,
  ): Promise<T> {
    if (!budget) return work()
    await budget.take('reply', this.#options.signal)
    try {
      return await this.#inTurn(others, work, hasLeft)
    } finally {
      budget.release(hasLeft())
    }
  }

  #request<T>(endpoint: string, read: (answer: Answer) => T, post?: Post): Promise<T> {
    const secrets = this.#secrets
    return attempt(
      {
        endpoint,
        repeatable: post === undefined,
        retry: true,
        secrets,
        signal: this.#options.signal,
        closing: this.#closing.signal,
        totalMs: 2 * this.#timeoutMs,
        longestWaitMs: LONGEST_WAIT_MS,
        send: () => this.#send(post),
        read,
        refuse: (answer, seconds) => refusalOf(endpoint, answer, secrets, seconds),
        retryAfter: (answer) =>
          clampSeconds(bodyOf(answer)['retry_after'] ?? answer.headers['retry-after'], timeOf(answer, this.#clock)),
        onWait: (ms, reason) => {
          if (reason === 'rate') for (const budget of this.#budgets) budget.pause(ms)
        },
      },
      this.#clock,
      this.#options.random ?? Math.random,
    )
  }

  #send(post: Post | undefined): Promise<Answer> {
    const answered = this.#transport.send({
      method: post === undefined ? 'GET' : 'POST',
      path: post === undefined ? this.#path : this.#path + post.query,
      headers,
      body: post?.body ?? null,
      timeoutMs: this.#timeoutMs,
      signal: this.#options.signal,
    })
    if (post) answered.then(post.left, (failure: { left?: boolean }) => failure.left && post.left())
    return answered
  }
}

function bodyOf({ text }: Answer): Record<string, unknown> {
  try {
    const value = json(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function refusalOf(endpoint: string, answer: Answer, secrets: readonly string[], seconds?: number): ServiceError {
  const { message, code } = bodyOf(answer)
  const text = typeof message === 'string' ? redact(message, secrets) : ''
  const { status } = answer
  if (status === 429 || typeof code !== 'number') return refusal(endpoint, status, text, seconds)
  return new ServiceError(
    'ERR_CHANNEL_WEBHOOK',
    `${endpoint}: the channel webhook refused the call (${code}, ${status}): ${text}`,
    {
      status,
      endpoint,
      webhookCode: code,
    },
  )
}

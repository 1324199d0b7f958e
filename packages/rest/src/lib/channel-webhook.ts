import { setMaxListeners } from 'node:events'
import { systemClock, type Clock } from '@botwright/clock'
import type { ChannelWebhook, ChannelWebhookPost, Message } from '@botwright/protocol/shapes'
import { BotwrightError, limits } from '@botwright/protocol/facts'
import { baseOf } from './base-url.ts'
import { MessageBudget } from './budget.ts'
import { redact, refusal, ServiceError } from './errors.ts'
import { json, readerOf } from './read.ts'
import { attempt, clampSeconds } from './retry.ts'
import { Transport, type Answer } from './transport.ts'

/** How long a channel webhook is waited for, and how often a post is tried. */
export interface ChannelWebhookOptions {
  clock?: Clock
  /** For the whole answer. Default 15,000. */
  timeoutMs?: number
  random?: () => number
  maxAnswerBytes?: number
  signal?: AbortSignal
}

/** One channel webhook (§4): posts into its channel without a bot. */
export interface ChannelWebhookClient extends AsyncDisposable {
  /** Posts; resolves when the service took it. */
  execute(post: ChannelWebhookPost): Promise<void>
  /** Posts and gives the message (`wait=true`). */
  executeAndWait(post: ChannelWebhookPost): Promise<Message>
  get(): Promise<ChannelWebhook>
}

const execute = 'channelWebhooks.execute'
const headers = ['accept', 'application/json', 'content-type', 'application/json']

/**
 * A client for the secret URL of one channel webhook. Refusals are `ServiceError` with `ERR_CHANNEL_WEBHOOK` and `webhookCode` (§7);
 * posts wait for their turn by the limits of §8, and a 429 is waited out. The URL stands in no error.
 */
export function createChannelWebhook(url: string, options: ChannelWebhookOptions = {}): ChannelWebhookClient {
  const { clock = systemClock, timeoutMs = 15_000, random = Math.random, signal } = options
  const { origin, path } = baseOf(url, 'the channel webhook URL')
  if (path.split('/').filter(Boolean).length < 2)
    throw new BotwrightError(
      'ERR_CONFIG',
      'the channel webhook URL does not end in its id and its token; copy it whole',
    )
  const secrets = [url, path, path.split('/').at(-1) ?? '']
  const maxBytes = options.maxAnswerBytes ?? 32 * 1024 * 1024
  const closing = new AbortController()
  // Any number may wait.
  setMaxListeners(0, closing.signal)
  // The limits of §8, kept here: posts that the service has to refuse would all come again at the same time. The longer one first.
  const budgets = [limits.channel_webhook_posts_per_channel, limits.channel_webhook_posts].map(
    ({ requests, seconds }) => new MessageBudget({ clock, timeoutMs, requests, seconds, endpoint: execute }),
  )
  const transport = new Transport(origin, { clock, maxBytes, connections: 4 })
  const readMessage = readerOf({ method: 'POST', variant: { key: 'message', here: 'bare' }, ok: false })
  const readWebhook = readerOf({ method: 'GET', variant: { key: 'webhook', here: 'bare' }, ok: false })

  function request<T>(
    endpoint: string,
    read: (answer: Answer) => T,
    post?: { body: string; query: string },
  ): Promise<T> {
    return attempt(
      {
        endpoint,
        repeatable: post === undefined,
        retry: true,
        secrets,
        signal,
        closing: closing.signal,
        totalMs: 2 * timeoutMs,
        send: () =>
          transport.send({
            method: post === undefined ? 'GET' : 'POST',
            path: post === undefined ? path : path + post.query,
            headers,
            body: post?.body ?? null,
            timeoutMs,
            signal,
          }),
        read,
        refuse: (answer, seconds) => refusalOf(endpoint, answer, secrets, seconds),
        retryAfter: (answer) =>
          clampSeconds(bodyOf(answer)['retry_after'] ?? answer.headers['retry-after'], clock.now()),
        onWait: (ms, reason) => {
          if (reason === 'rate') for (const budget of budgets) budget.pause(ms)
        },
      },
      clock,
      random,
    )
  }

  /** Does it when each of the budgets has a slot for it. */
  async function inTurn<T>([budget, ...others]: readonly MessageBudget[], work: () => Promise<T>): Promise<T> {
    if (!budget) return work()
    await budget.take('reply', signal)
    try {
      return await inTurn(others, work)
    } finally {
      budget.release(true)
    }
  }

  async function post<T>(message: ChannelWebhookPost, query: string, read: (answer: Answer) => T): Promise<T> {
    const { checkChannelWebhookPost } = await import('./check-input.ts')
    checkChannelWebhookPost(execute, message)
    return inTurn(budgets, () => request(execute, read, { body: JSON.stringify(message), query }))
  }

  return {
    execute: (message) => post(message, '', () => undefined),
    executeAndWait: (message) => post(message, '?wait=true', (answer) => readMessage(answer) as Message),
    get: () => request('channelWebhooks.get', (answer) => readWebhook(answer) as ChannelWebhook),
    [Symbol.asyncDispose]: () => {
      closing.abort()
      for (const budget of budgets) budget.close()
      return transport.close()
    },
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
    `${endpoint}: the channel webhook refused (${code}, ${status}): ${text}`,
    {
      status,
      endpoint,
      webhookCode: code,
    },
  )
}

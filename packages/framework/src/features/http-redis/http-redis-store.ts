import { randomUUID } from 'node:crypto'
import { type Clock, systemClock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import type { StateStore, Stored } from '../../author/ports.ts'
import { afterPrefix, readKey, writeValue } from '../../author/state/store-text.ts'
import { deleteValueScript, listValuesScript, readRedisValue, setValueScript } from './redis-values.ts'

/** The options of `httpRedisStore`. */
export interface HttpRedisOptions {
  /** The URL of the REST API, such as `https://eu1-example.upstash.io`. */
  url: string
  token: string
  /** The keys begin with it: bots with the same Redis need different ones. Default `botwright`. */
  prefix?: string
  /** Default: the clock of the host. Pass that of the bot, so that values also expire in a test that moves it. */
  clock?: Clock
}

const PAGE = { values: 200, bytes: 900_000 }
const TIMEOUT_MS = 5000
/** A request without a response is sent once more: a write has a mark, by which Redis knows that it is done. */
const ATTEMPTS = 2

/**
 * Stores a bot's values in a Redis with a REST API, such as that of Upstash: `store: ({ clock }) => httpRedisStore({ url, token, clock })`. It
 * has no connection that must stay open, so that functions can use it. It compares and writes in one step, so that any number of processes
 * can share it. Throws `ERR_CONFIG` for an invalid URL or token.
 */
export function httpRedisStore({
  url,
  token: given,
  prefix = 'botwright',
  clock = systemClock,
}: HttpRedisOptions): StateStore {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw invalid('url is not an http or https URL; copy that of the REST API')
  // The errors of requests would contain them.
  const { username, password } = new URL(url)
  if (username + password !== '')
    throw invalid('url has a user or a password; remove them, and pass the token of the REST API')
  // `process.env.TOKEN!` may be undefined.
  const token = (given as string | undefined)?.trim() ?? ''
  if (token === '') throw invalid('token is empty; copy that of the REST API')
  if (!/^[!-~]+$/.test(token))
    throw invalid('token has a space or a character that no token has; copy that of the REST API again')
  return new HttpRedisStore({ url, token, clock, prefix })
}

const invalid = (fact: string) => new BotwrightError('ERR_CONFIG', `httpRedisStore: ${fact}`)

class HttpRedisStore implements StateStore {
  readonly #options: Required<HttpRedisOptions>
  readonly #keys: { value: string; names: string; ends: string; versions: string; written: string }

  constructor(options: Required<HttpRedisOptions>) {
    this.#options = options
    // In braces, so that a Redis of several hosts keeps them together.
    const start = `{${options.prefix}}:`
    const [value, written] = [`${start}value:`, `${start}written:`]
    this.#keys = { value, names: `${start}names`, ends: `${start}ends`, versions: `${start}versions`, written }
  }

  async get(key: string): Promise<Stored | undefined> {
    const name = readKey(key)
    const text = await this.#ask(['GET', this.#keys.value + name])
    return text === null ? undefined : this.#stored(name, text)
  }

  async set(key: string, value: unknown, options: { expected?: number; expiresAtMs?: number } = {}): Promise<boolean> {
    const name = readKey(key)
    const { expected, expiresAtMs } = options
    const end = expiresAtMs === undefined ? '' : Math.trunc(expiresAtMs)
    return this.#write(setValueScript, name, [expected ?? '', end, writeValue(name, value), this.#keys.value])
  }

  delete(key: string, { expected }: { expected?: number } = {}): Promise<boolean> {
    return this.#write(deleteValueScript, readKey(key), [expected ?? ''])
  }

  async list(prefix: string, options: { after?: string; limit?: number } = {}): Promise<({ key: string } & Stored)[]> {
    const { limit = Infinity } = options
    const start = prefix === '' ? '' : readKey(prefix)
    const after = options.after === undefined || options.after === '' ? '' : readKey(options.after)
    const end = afterPrefix(start)
    const found: ({ key: string } & Stored)[] = []
    let from = after !== '' && Buffer.compare(Buffer.from(start), Buffer.from(after)) <= 0 ? `(${after}` : `[${start}`
    while (found.length < limit) {
      const count = Math.min(PAGE.values, limit - found.length)
      const args = [from, end === undefined ? '+' : `(${end}`, count, PAGE.bytes, this.#keys.value]
      const page = (await this.#ask(['EVAL', listValuesScript, 1, this.#keys.names, ...args])) as string[]
      for (let i = 1; i < page.length; i += 2) {
        const stored = this.#stored(page[i]!, page[i + 1]!)
        if (stored) found.push({ key: page[i]!, ...stored })
      }
      if (page[0] === '') break
      from = `(${page[0]}`
    }
    return found
  }

  async #write(script: string, name: string, [expected, ...rest]: readonly (string | number)[]): Promise<boolean> {
    const { value, names, ends, versions, written } = this.#keys
    const keys = [value + name, names, ends, versions, written + randomUUID()]
    const args = [name, this.#options.clock.now(), expected!, ...rest]
    return (await this.#ask(['EVAL', script, keys.length, ...keys, ...args])) === 1
  }

  #stored(name: string, text: unknown): Stored | undefined {
    const stored = readRedisValue(String(text))
    if (!stored) throw failed(`"${name}" is damaged and cannot be read: another program wrote it`)
    return stored.expiresAtMs !== undefined && stored.expiresAtMs <= this.#options.clock.now() ? undefined : stored
  }

  /** Sends a command, and returns its result. */
  async #ask(command: readonly (string | number)[]): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send(command, attempt === ATTEMPTS)
      } catch (error) {
        if (error instanceof BotwrightError) throw error
        if (attempt === ATTEMPTS) throw failed(`no response (${reasonOf(error as Error)})`, error)
      }
    }
  }

  async #send(command: readonly (string | number)[], isLast: boolean): Promise<unknown> {
    const response = await fetch(this.#options.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#options.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(command),
      // The token belongs to this URL alone.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { status } = response
    const { result, error } = answerOf(await response.text())
    if (status >= 500 && !isLast) throw new Error(`HTTP ${status}`)
    if (response.ok && result !== undefined) return result
    const fact =
      typeof error === 'string' ? `: ${error}` : ', and the response is not that of a Redis REST API: check the url'
    throw failed(`HTTP ${status}${fact}`)
  }
}

/** The fields of a response; none if it is not an object in JSON. */
function answerOf(text: string): { result?: unknown; error?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as object
  } catch {
    return {}
  }
}

/** Node names the reason in the cause. */
function reasonOf({ message, cause }: Error): string {
  const { code, message: reason = message } = (cause ?? {}) as { code?: string; message?: string }
  return code ?? reason
}

const failed = (fact: string, cause?: unknown) => new BotwrightError('ERR_STATE', `Redis over HTTP: ${fact}`, { cause })

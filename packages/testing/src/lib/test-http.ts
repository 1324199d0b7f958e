import { createHmac } from 'node:crypto'
import type { Config } from '@botwright/framework'
import { RouteTable, type RunningBot } from '@botwright/framework/start'

/** A body: a text or bytes as they are, the fields of a form, or any other value as JSON. */
export type HttpBody = string | Uint8Array | URLSearchParams | object

/** Further parts of a request. */
export interface HttpOptions {
  /** Headers, which replace those that the kit sets. */
  headers?: Readonly<Record<string, string>>
}

interface Host {
  bot: RunningBot
  config: Config
  settled: () => Promise<void>
}

/** Sends requests to the bot's `routes/`, signed as the route expects, without a network. Each resolves when the bot has processed it. */
export class TestHttp {
  readonly #host: Host

  constructor(host: Host) {
    this.#host = host
  }

  get(path: string, options?: HttpOptions): Promise<Response> {
    return this.#send('GET', path, undefined, options)
  }
  post(path: string, body?: HttpBody, options?: HttpOptions): Promise<Response> {
    return this.#send('POST', path, body, options)
  }
  put(path: string, body?: HttpBody, options?: HttpOptions): Promise<Response> {
    return this.#send('PUT', path, body, options)
  }
  patch(path: string, body?: HttpBody, options?: HttpOptions): Promise<Response> {
    return this.#send('PATCH', path, body, options)
  }
  delete(path: string, body?: HttpBody, options?: HttpOptions): Promise<Response> {
    return this.#send('DELETE', path, body, options)
  }

  async #send(
    method: string,
    path: string,
    body: HttpBody | undefined,
    { headers = {} }: HttpOptions = {},
  ): Promise<Response> {
    const { bytes, type } = encoded(body)
    const url = new URL(path, 'http://bot.test')
    const own = { ...(type !== undefined && { 'content-type': type }), ...this.#proof(method, url.pathname, bytes) }
    const request = new Request(url, {
      method,
      headers: { ...own, ...lowerNames(headers) },
      ...(bytes.length > 0 && { body: bytes }),
    })
    const response = await this.#host.bot.fetch(request)
    await this.#host.settled()
    return response
  }

  /** The header that proves the sender to the route. */
  #proof(method: string, path: string, bytes: Uint8Array): Record<string, string> {
    const found = new RouteTable(this.#host.bot.code.definitions).find(method, path)
    const verify = found && 'route' in found ? found.route.verify : undefined
    if (!verify) return {}
    const secret = String(this.#host.config.env?.[verify.secret])
    if (verify.by === 'bearer') return { authorization: `Bearer ${secret}` }
    const signature = createHmac(verify.algorithm, secret).update(bytes).digest(verify.encoding)
    return { [verify.header.toLowerCase()]: `${verify.algorithm}=${signature}` }
  }
}

function encoded(body: HttpBody | undefined): { bytes: Uint8Array<ArrayBuffer>; type?: string } {
  const text = (value: string) => new TextEncoder().encode(value)
  if (body === undefined) return { bytes: text('') }
  if (typeof body === 'string') return { bytes: text(body), type: 'text/plain' }
  if (body instanceof Uint8Array) return { bytes: Uint8Array.from(body), type: 'application/octet-stream' }
  if (body instanceof URLSearchParams)
    return { bytes: text(body.toString()), type: 'application/x-www-form-urlencoded' }
  return { bytes: text(JSON.stringify(body)), type: 'application/json' }
}

const lowerNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

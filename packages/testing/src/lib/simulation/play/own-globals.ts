// Globals that only bots use: the network, also that of channel webhooks, further random numbers, and the time zone of the process.

import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { SeededRandom } from '@botwright/clock/simulated'
import { type Connect, TransportFailure } from '@botwright/rest/transport'
import { connectChannelWebhooks } from '@botwright/framework/start'

/** Random numbers that begin again with each act, so that a bot answers it alike whatever happened before. */
export class ActRandom extends SeededRandom {
  readonly #seed: number
  #current: SeededRandom

  /** With another `salt`, a bot draws other numbers. */
  constructor(seed: number, salt = 0) {
    super(seed)
    this.#seed = seed + salt
    this.#current = new SeededRandom(seed)
  }

  beginAct(number: number): void {
    this.#current = new SeededRandom(Math.imul(this.#seed + 1, 0x9e3779b1) ^ (number + 1))
  }

  override next(): number {
    return this.#current.next()
  }
}

const localMethods = [
  ...[
    'getHours',
    'getMinutes',
    'getDay',
    'getDate',
    'getMonth',
    'getFullYear',
    'getTimezoneOffset',
    'setHours',
    'setDate',
  ],
  ...['setMonth', 'setFullYear', 'toString', 'toDateString', 'toTimeString', 'toLocaleString', 'toLocaleDateString'],
  'toLocaleTimeString',
] as const
const realRandomInt = crypto.randomInt

interface Options {
  random: SeededRandom
  fetch: ((request: Request) => Response | Promise<Response>) | undefined
  /** The time zone of the computer. */
  zone: string
  /** Called with the stack of each use of the local time. */
  localTime?: ((stack: string) => void) | undefined
}

export const noNetwork = 'the simulation has no network'

/** Channel webhooks reach what `fetch` reaches. */
const connectByFetch: Connect = (origin) => ({
  async send({ method, path, headers, body }) {
    const pairs = headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1]!] as [string, string]] : []))
    try {
      const response = await fetch(origin + path, { method, headers: pairs, body: body as string | null })
      const { status } = response
      return { status, headers: Object.fromEntries(response.headers), text: await response.text() }
    } catch (error) {
      throw new TransportFailure('not_sent', false, noNetwork, error)
    }
  },
  close: () => Promise.resolve(),
  destroy: () => Promise.resolve(),
})

/** Replaces them until the result is called. */
export function installOwnGlobals({ random, fetch, zone, localTime }: Options): () => void {
  const former = { fetch: globalThis.fetch, zone: process.env['TZ'] }
  globalThis.fetch = async (...given: ConstructorParameters<typeof Request>) => {
    if (!fetch) throw new TypeError('fetch failed', { cause: new Error(noNetwork) })
    return fetch(new Request(...given))
  }
  Object.assign(crypto, {
    randomInt: (...given: unknown[]) => {
      const [low, high] = typeof given[1] === 'number' ? [given[0] as number, given[1]] : [0, given[0] as number]
      const value = low + random.int(high - low)
      const callback = given.at(-1)
      return typeof callback === 'function'
        ? void (callback as (error: null, value: number) => void)(null, value)
        : value
    },
  })
  syncBuiltinESMExports()
  process.env['TZ'] = zone
  const disconnect = connectChannelWebhooks({ connect: connectByFetch })
  const methods = Date.prototype as unknown as Record<string, (...given: unknown[]) => unknown>
  const known = new Map(localMethods.map((name) => [name, methods[name]!]))
  if (localTime)
    for (const [name, method] of known)
      methods[name] = function (this: Date, ...given: unknown[]) {
        localTime(new Error().stack ?? '')
        return method.apply(this, given)
      }
  return () => {
    disconnect()
    globalThis.fetch = former.fetch
    Object.assign(crypto, { randomInt: realRandomInt })
    syncBuiltinESMExports()
    if (former.zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = former.zone
    for (const [name, method] of known) methods[name] = method
  }
}

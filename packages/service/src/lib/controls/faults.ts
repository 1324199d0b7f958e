import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { HttpBindings } from '@hono/node-server'
import { sleep } from '@botwright/clock'
import { endpointsByName, ownLimits, text } from '@botwright/protocol'
import type { Context, Next } from 'hono'
import * as z from 'zod'
import type { Chat } from '../chat.ts'
import { Refusal } from '../refusal.ts'

/** A fault switch: after `skip` responses on a path, the next `times` fail. `close` and a status replace the call; `cut`, `stall` and `slow` apply after the call ran. */
export const Fault = z.strictObject({
  path: text(ownLimits.url.characters).regex(/^\/v1\//, {
    error: 'must be a path of the bot interface, including /v1',
  }),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  skip: z.int().min(0).max(1_000_000).default(0),
  times: z.int().min(1).max(1_000_000).default(1),
  then: z.union([
    z.enum(['close', 'cut', 'stall', 'slow']),
    z.strictObject({
      status: z.int().min(200).max(599),
      body: z.unknown().optional(),
      headers: z
        .record(
          z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, { error: 'must be a header name' }),
          z.string().regex(/^[\t\x20-\x7e]*$/, { error: 'must be a header value' }),
        )
        .optional(),
    }),
  ]),
  seconds: z.number().min(0).max(3600).default(1),
})
export type Fault = z.infer<typeof Fault>

/** A character; one character except a slash; or any number of those, or of any characters. */
const oneOfName = '{}'
const moreOfName = '{}*'
const anything = '**'

/** The parts of a pattern such as `/v1/channels/{id}/messages` or `/v1/channels/*`: a name in braces matches one or more characters except slashes, a star matches any characters. */
const partsOf = (pattern: string): string[] =>
  (pattern.match(/\{\w+\}|[^]/g) ?? []).flatMap((part) => {
    if (part === '*') return [anything]
    return part.length > 1 ? [oneOfName, moreOfName] : [part]
  })

const repeats = (part: string | undefined): boolean => part === moreOfName || part === anything
const isName = (part: string): boolean => part === oneOfName || part === moreOfName

/** Whether some character fits both parts. */
function share(one: string, other: string): boolean {
  if (one === anything || other === anything) return true
  if (isName(one)) return other !== '/'
  return isName(other) ? one !== '/' : one === other
}

/** Whether some path matches both. Takes at most as many steps as the product of the two lengths. */
function overlap(ones: readonly string[], others: readonly string[]): boolean {
  /** Whether the parts of `others` up to here match what the parts of `ones` so far match. */
  let row = [true]
  for (let at = 0; at <= ones.length; at++) {
    const one = ones[at]
    const next: boolean[] = []
    for (let to = 0; to <= others.length; to++) {
      if (row[to] !== true) continue
      const other = others[to]
      if (repeats(one)) next[to] = true
      if (repeats(other)) row[to + 1] = true
      if (one === undefined || other === undefined || !share(one, other)) continue
      const target = repeats(one) ? row : next
      target[repeats(other) ? to : to + 1] = true
    }
    if (at === ones.length) break
    if (!next.includes(true)) return false
    row = next
  }
  return row[others.length] === true
}

/** A path whose ids are in lower case: the interface accepts both (decisions row 52). */
const withLowerIds = (path: string): string => path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, (id) => id.toLowerCase())

const templates = [...endpointsByName.values()].map(({ method, path }) => ({ method, parts: partsOf(`/v1${path}`) }))

/** Whether a response of some endpoint can have this fault. */
const fitsEndpoint = ({ path, method: wanted }: Pick<Fault, 'path' | 'method'>): boolean => {
  const parts = partsOf(path)
  return templates.some(({ method, parts: own }) => (wanted ?? method) === method && overlap(parts, own))
}

/** The fault switches: the only source of responses that the interface does not describe (decisions row 32). */
export class Faults {
  readonly #chat: Chat
  #waiting: Fault[] = []

  constructor(chat: Chat) {
    this.#chat = chat
  }

  /** Refuses a fault that no call of the bot interface can meet. */
  add(fault: Fault): void {
    if (!fitsEndpoint(fault)) {
      const call = fault.method === undefined ? fault.path : `${fault.method} ${fault.path}`
      throw new Refusal(400, `path: no endpoint of the bot interface matches ${call}; /developers lists the endpoints`)
    }
    this.#waiting.push({ ...fault, path: withLowerIds(fault.path) })
  }

  clear(): void {
    this.#waiting = []
  }

  #take(method: string, path: string): Fault | undefined {
    const characters = withLowerIds(path).split('')
    const fault = this.#waiting.find(
      (each) => (each.method ?? method) === method && overlap(partsOf(each.path), characters) && --each.skip < 0,
    )
    if (fault && --fault.times === 0) this.#waiting = this.#waiting.filter((each) => each !== fault)
    return fault
  }

  readonly middleware = async (context: Context, next: Next): Promise<Response | void> => {
    const fault = this.#take(context.req.method, context.req.path)
    if (fault === undefined) return next()
    const { outgoing } = context.env as HttpBindings
    const { then } = fault
    context.set('fault', typeof then === 'object' ? String(then.status) : then)
    if (typeof then === 'object') {
      const { status, body, headers } = then
      // These statuses never have a body.
      if ([204, 205, 304].includes(status)) return new Response(null, { status, headers: headers ?? {} })
      context.set('answer', body ?? {})
      return context.body(typeof body === 'string' ? body : JSON.stringify(body ?? {}), status as 200, {
        'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
        ...headers,
      })
    }
    if (then === 'close') {
      outgoing.destroy()
      return RESPONSE_ALREADY_SENT
    }
    await next()
    if (then === 'slow') return this.#delayed(sleep(this.#chat.clock, fault.seconds * 1000))
    if (then === 'cut') {
      const text = await context.res.clone().text()
      const head = `HTTP/1.1 ${context.res.status} Cut\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text) + 1}\r\n\r\n`
      const half = head + text.slice(0, Math.ceil(text.length / 2))
      // The caller may be gone already.
      if (outgoing.socket?.writable) await new Promise((resolve) => outgoing.socket!.write(half, resolve))
      outgoing.destroy()
      return
    }
    // Stalled: no response until the caller gives up.
    await this.#delayed(
      new Promise<void>((resolve) => (outgoing.destroyed ? resolve() : outgoing.once('close', resolve))),
    )
  }

  async #delayed(wait: Promise<void>): Promise<void> {
    const { watchers } = this.#chat.delayedAnswers
    for (const watch of watchers) watch(1)
    try {
      await wait
    } finally {
      for (const watch of watchers) watch(-1)
    }
  }
}

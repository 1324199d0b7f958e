import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { HttpBindings } from '@hono/node-server'
import { sleep } from '@botwright/clock'
import { ownLimits, text } from '@botwright/protocol'
import type { Context, Next } from 'hono'
import * as z from 'zod'
import type { Chat } from './chat.ts'

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

/**
 * Whether a path matches a pattern such as `/v1/channels/{id}/messages` or `/v1/channels/*`: a name in braces matches one or more
 * characters except slashes, a star matches any characters. Takes at most as many steps as the product of the two lengths.
 */
function matches(pattern: string, path: string): boolean {
  /** The positions in the path where the pattern read so far can end. */
  let ends = [true]
  for (const part of pattern.match(/\{\w+\}|[^]/g) ?? []) {
    const next: boolean[] = []
    for (let at = 0; at <= path.length; at++) {
      const sign = path[at - 1]
      if (part === '*') next[at] = ends[at] === true || next[at - 1] === true
      else if (part.length > 1) next[at] = at > 0 && sign !== '/' && (ends[at - 1] === true || next[at - 1] === true)
      else next[at] = sign === part && ends[at - 1] === true
    }
    if (!next.includes(true)) return false
    ends = next
  }
  return ends[path.length] === true
}

/** The fault switches: the only source of responses that the interface does not describe (decisions row 32). */
export class Faults {
  readonly #chat: Chat
  #waiting: Fault[] = []

  constructor(chat: Chat) {
    this.#chat = chat
  }

  add(fault: Fault): void {
    this.#waiting.push({ ...fault })
  }

  clear(): void {
    this.#waiting = []
  }

  #take(method: string, path: string): Fault | undefined {
    const fault = this.#waiting.find(
      (each) => (each.method === undefined || each.method === method) && matches(each.path, path) && --each.skip < 0,
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
    if (then === 'slow') return sleep(this.#chat.clock, fault.seconds * 1000)
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
    await new Promise<void>((resolve) => (outgoing.destroyed ? resolve() : outgoing.once('close', resolve)))
  }
}

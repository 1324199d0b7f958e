import { systemClock, type Timer } from '@botwright/clock'
import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Chat } from './chat.ts'
import { identifyPerson, identifyPersonByToken } from './identify.ts'
import { slowDown } from './refusal.ts'

const PING_MS = 15_000

/** How many streams of one person may be open: a browser opens six connections to one host at most. */
export const STREAMS_PER_PERSON = 32

/** How much a page may leave unread before its connection is closed. It reconnects and reads everything anew. */
const MAX_UNREAD_BYTES = 1024 * 1024

/** `GET /people/v1/stream`: everything that a person may see, as it happens. */
export function serveStream(app: Hono, chat: Chat): void {
  app.get('/people/v1/stream', (context) => {
    const token = context.req.query('token')
    const person = token === undefined ? identifyPerson(chat, context) : identifyPersonByToken(chat, token)
    if (chat.stream.count(person.id) >= STREAMS_PER_PERSON) {
      throw slowDown(PING_MS, `a person may have ${STREAMS_PER_PERSON} streams open; close one of them`)
    }
    const { outgoing } = context.env as HttpBindings
    return streamSSE(context, async (stream) => {
      void stream.write(': listening\n\n')
      let unreadBytes = 0
      async function send(event: string, data: string): Promise<void> {
        // An orderly end would keep in memory what is never read.
        if (unreadBytes >= MAX_UNREAD_BYTES) return void outgoing.destroy()
        const bytes = Buffer.byteLength(data)
        unreadBytes += bytes
        await stream.writeSSE({ event, data })
        unreadBytes -= bytes
      }
      let end = (): void => {}
      const ended = new Promise<void>((resolve) => (end = resolve))
      const unsubscribe = chat.stream.subscribe(person.id, { send, end })
      const offline = chat.presences.polling(person.id)
      // On the machine's own clock: it keeps the connection awake, whatever time the chat has.
      let timer: Timer
      const ping = () => {
        // A connection with something to read needs nothing more to stay awake.
        if (unreadBytes === 0) void stream.write(': ping\n\n')
        timer = systemClock.after(PING_MS, ping)
      }
      timer = systemClock.after(PING_MS, ping)
      stream.onAbort(end)
      await ended
      timer.cancel()
      unsubscribe()
      offline()
    })
  })
}

import { systemClock, type Timer } from '@botwright/clock'
import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Chat } from './chat.ts'
import { identifyPerson, identifyPersonByToken } from './identify.ts'
import { peopleStream } from './people-contract/paths.ts'
import { slowDown } from './refusal.ts'

const PING_MS = 15_000

/** Maximum number of open streams per person. (A browser opens at most six connections per host.) */
export const STREAMS_PER_PERSON = 32

/** How many bytes a page may leave unread before its connection is closed. It then reconnects and reloads. */
const MAX_UNREAD_BYTES = 1024 * 1024

/** `GET /people/v1/stream`: everything that a person can see, in real time. */
export function serveStream(app: Hono, chat: Chat): void {
  app.get(peopleStream, (context) => {
    const token = context.req.query('token')
    const person = token === undefined ? identifyPerson(chat, context) : identifyPersonByToken(chat, token)
    if (chat.stream.count(person.id) >= STREAMS_PER_PERSON) {
      throw slowDown(PING_MS, `a person can have at most ${STREAMS_PER_PERSON} open streams; close one first`)
    }
    const { outgoing } = context.env as HttpBindings
    return streamSSE(context, async (stream) => {
      void stream.write(': listening\n\n')
      let unreadBytes = 0
      let unsent: string[] = []
      /** Sends all events of a commit in one write. */
      async function write(): Promise<void> {
        const text = unsent.join('')
        unsent = []
        const bytes = Buffer.byteLength(text)
        unreadBytes += bytes
        await stream.write(text)
        unreadBytes -= bytes
      }
      async function send(event: string, data: string): Promise<void> {
        // A graceful end would keep the unread data in memory.
        if (unreadBytes >= MAX_UNREAD_BYTES) return void outgoing.destroy()
        if (unsent.push(`event: ${event}\ndata: ${data}\n\n`) === 1) await Promise.resolve().then(write)
      }
      let end = (): void => {}
      const ended = new Promise<void>((resolve) => (end = resolve))
      const unsubscribe = chat.stream.subscribe(person.id, { send, end })
      const offline = chat.presences.polling(person.id)
      // Use the system clock, since the chat's clock may be virtual: pings keep the connection alive.
      let timer: Timer
      const ping = () => {
        // Pending data keeps the connection alive as well.
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

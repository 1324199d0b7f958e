import { randomUUID } from 'node:crypto'
import { isMovable, systemClock, type Timer } from '@botwright/clock'
import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import type { Chat } from '../chat.ts'
import type { UserRow } from '../db/rows.ts'
import { ok } from '../http/handlers.ts'
import { identifyPerson, identifyPersonByToken } from '../http/identify.ts'
import { peopleStream } from '../people-api/paths.ts'
import { notFound, slowDown } from '../refusal.ts'

const PING_MS = 15_000

/** Maximum number of open streams per person. (A browser opens at most six connections per host.) */
export const STREAMS_PER_PERSON = 32

/** How many bytes a page may leave unread before its connection is closed. It then reconnects and reloads. */
const MAX_UNREAD_BYTES = 1024 * 1024

/** A stream that several people of one browser share: all its tabs use one connection. */
interface SharedStream {
  /** Sends the events of this person, too. */
  add: (person: UserRow) => void
  remove: (personId: string) => void
  /** Sends the service's time, in milliseconds since 1970. */
  sendTime: (nowMs: number) => void
}

/**
 * `GET /people/v1/stream`: everything that a person can see, in real time. For the page, with `shared=true`: the first event, `stream`, has the id of
 * the stream; `PUT` and `DELETE /people/v1/stream/{id}` add and remove people. The name of each further event is the id of its person,
 * and its data is `{type, data}`. The event `end` has the id of a person who was banned.
 * The event `clock` has the service's time in milliseconds, at the start and when the clock is moved: the page compares it with the times of the service.
 */
export function serveStream(app: Hono, chat: Chat): void {
  const shared = new Map<string, SharedStream>()

  const checkCount = (person: UserRow): void => {
    if (chat.stream.count(person.id) < STREAMS_PER_PERSON) return
    throw slowDown(PING_MS, `a person can have at most ${STREAMS_PER_PERSON} open streams; close one first`)
  }

  const { clock } = chat
  if (isMovable(clock)) {
    clock.onMove((aheadMs) => shared.forEach(({ sendTime }) => sendTime(clock.base.now() + aheadMs)))
  }

  app.get(peopleStream, (context) => {
    const token = context.req.query('token')
    const person = token === undefined ? identifyPerson(chat, context) : identifyPersonByToken(chat, token)
    checkCount(person)
    // Without a body, the end of the stream would never be noticed.
    if (context.req.method === 'HEAD') return context.body(null, 200, { 'content-type': 'text/event-stream' })
    const isShared = context.req.query('shared') === 'true'
    const { outgoing } = context.env as HttpBindings
    return streamSSE(context, async (stream) => {
      void stream.write(': listening\n\n')
      const { send, endPings } = senderTo(stream, outgoing)
      let end = (): void => {}
      const ended = new Promise<void>((resolve) => (end = resolve))
      /** Ends the events of each person on this stream. */
      const people = new Map<string, () => void>()
      const remove = (personId: string): void => {
        people.get(personId)?.()
        people.delete(personId)
      }
      const add = ({ id }: UserRow): void => {
        if (people.has(id)) return
        const sendOne = (type: string, data: string) => send(id, `{"type":"${type}","data":${data}}`)
        const endOne = () => {
          remove(id)
          if (people.size === 0) end()
          else void send('end', id)
        }
        const unsubscribe = chat.stream.subscribe(id, isShared ? { send: sendOne, end: endOne } : { send, end })
        const offline = chat.presences.polling(id)
        people.set(id, () => {
          unsubscribe()
          offline()
        })
      }
      const streamId = randomUUID()
      if (isShared) {
        const sendTime = (nowMs: number) => void send('clock', String(nowMs))
        shared.set(streamId, { add, remove, sendTime })
        sendTime(clock.now())
        void send('stream', streamId)
      }
      add(person)
      stream.onAbort(end)
      await ended
      endPings()
      shared.delete(streamId)
      for (const id of people.keys()) remove(id)
    })
  })

  app.put(`${peopleStream}/:stream_id`, (context) => {
    const person = identifyPerson(chat, context)
    const stream = shared.get(context.req.param('stream_id').toLowerCase())
    if (!stream) throw notFound('stream')
    checkCount(person)
    stream.add(person)
    return context.json(ok)
  })

  app.delete(`${peopleStream}/:stream_id`, (context) => {
    const person = identifyPerson(chat, context)
    shared.get(context.req.param('stream_id').toLowerCase())?.remove(person.id)
    return context.json(ok)
  })
}

/** Sends events to a page, and pings while there are none. */
function senderTo(stream: SSEStreamingApi, outgoing: HttpBindings['outgoing']) {
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
  // Use the system clock, since the chat's clock may be virtual: pings keep the connection alive.
  let timer: Timer
  const ping = () => {
    // Pending data keeps the connection alive as well.
    if (unreadBytes === 0) void stream.write(': ping\n\n')
    timer = systemClock.after(PING_MS, ping)
  }
  timer = systemClock.after(PING_MS, ping)
  return { send, endPings: () => timer.cancel() }
}

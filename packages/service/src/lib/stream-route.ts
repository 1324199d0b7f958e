import { systemClock, type Timer } from '@botwright/clock'
import type { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Chat } from './chat.ts'
import { identifyPerson, identifyPersonByToken } from './identify.ts'

const PING_MS = 15_000

/** `GET /people/v1/stream`: everything that a person may see, as it happens. */
export function serveStream(app: Hono, chat: Chat): void {
  app.get('/people/v1/stream', (context) => {
    const token = context.req.query('token')
    const person = token === undefined ? identifyPerson(chat, context) : identifyPersonByToken(chat, token)
    return streamSSE(context, async (stream) => {
      await stream.write(': listening\n\n')
      let end = (): void => {}
      const ended = new Promise<void>((resolve) => (end = resolve))
      const send = (event: string, data: string) => stream.writeSSE({ event, data })
      const unsubscribe = chat.stream.subscribe(person.id, { send, end })
      const offline = chat.presences.polling(person.id)
      // On the machine's own clock: it keeps the connection awake, whatever time the chat has.
      let timer: Timer
      const ping = () => {
        void stream.write(': ping\n\n')
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

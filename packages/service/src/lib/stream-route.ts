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
      const send = (event: string, data: string) => void stream.writeSSE({ event, data })
      const unsubscribe = chat.stream.subscribe(person.id, { send, end })
      const offline = chat.presences.polling(person.id)
      const ping = setInterval(() => void stream.write(': ping\n\n'), PING_MS)
      stream.onAbort(end)
      await ended
      clearInterval(ping)
      unsubscribe()
      offline()
    })
  })
}

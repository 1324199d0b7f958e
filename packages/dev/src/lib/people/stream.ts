import { BotwrightError } from '@botwright/protocol/facts'
import { peopleStream, type StreamEvent, type StreamEventType } from '@botwright/service/people'
import { createParser } from 'eventsource-parser'
import { MOST_BYTES } from '../local-service/limited-body.ts'
import type { PersonAtService } from './person.ts'

/** One event of the people's stream. */
export type StreamedEvent = { [T in StreamEventType]: { type: T; data: StreamEvent<T> } }[StreamEventType]

/**
 * Receives everything that a person sees, as it happens. Resolves once the stream is open, with a promise of its end: the signal, or
 * the service has closed it. Rejects as `PersonAtService.request` does.
 */
export async function openStream(
  person: PersonAtService,
  onEvent: (event: StreamedEvent) => void,
  signal: AbortSignal,
): Promise<{ ended: Promise<void> }> {
  const answer = await person.request({ method: 'GET', path: peopleStream }, signal)
  if (!answer.ok || !answer.body) throw new BotwrightError('ERR_REFUSED', `GET ${peopleStream}: ${answer.status}`)
  let unread = 0
  const read = () => (unread = 0)
  const parser = createParser({
    onEvent: ({ event, data }) => {
      read()
      onEvent({ type: event, data: JSON.parse(data) as unknown } as StreamedEvent)
    },
    onComment: read,
  })
  const feed = (text: string): boolean => {
    unread += text.length
    parser.feed(text)
    return unread <= MOST_BYTES
  }
  return { ended: readAll(answer.body, feed) }
}

/**
 * Resolves at the end, also at a broken connection: the caller decides whether to open the stream again. Ends the stream if `onText`
 * returns false.
 */
async function readAll(body: ReadableStream<Uint8Array>, onText: (text: string) => boolean): Promise<void> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (;;) {
    const part = await reader.read().catch(() => undefined)
    if (!part || part.done) return
    if (!onText(decoder.decode(part.value, { stream: true }))) return reader.cancel()
  }
}

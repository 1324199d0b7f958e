import { BotwrightError } from '@botwright/protocol/facts'
import { peopleStream, type StreamEvent, type StreamEventType } from '@botwright/service/people'
import { createParser } from 'eventsource-parser'
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
  const parser = createParser({
    onEvent: ({ event, data }) => onEvent({ type: event, data: JSON.parse(data) as unknown } as StreamedEvent),
  })
  return { ended: readAll(answer.body, (text) => parser.feed(text)) }
}

/** Resolves at the end, also at a broken connection: the caller decides whether to open the stream again. */
async function readAll(body: ReadableStream<Uint8Array>, onText: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (;;) {
    const part = await reader.read().catch(() => undefined)
    if (!part || part.done) return
    onText(decoder.decode(part.value, { stream: true }))
  }
}

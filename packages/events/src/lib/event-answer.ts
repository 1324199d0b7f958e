import type { HttpAnswer, HttpResponse } from './http-exchange.ts'
import { isSignature, type SignedEvents, type SignedRequest } from './signed-events.ts'

/** Bytes. */
const BODY_LIMIT = 1024 * 1024

/** Answers event webhooks, whatever server received them. */
export function eventAnswer(
  events: SignedEvents,
  {
    path,
    bodyLimit = BODY_LIMIT,
    offer,
  }: { path: string; bodyLimit?: number | undefined; offer?: SignedRequest['offer'] },
): HttpAnswer {
  return async ({ method, path: given, headers, read }) => {
    if (method !== 'POST') return empty(405, { allow: 'POST' })
    if (given !== path) return empty(404)
    if (Number(headers['content-length']) > bodyLimit) return empty(413)
    // An unsigned body is not worth reading.
    const signature = headers['x-service-signature']
    if (!isSignature(signature)) return empty(events.refuse())
    const body = await read(bodyLimit)
    return empty(body ? await events.accept({ body, signature, bot: headers['x-service-bot'], offer }) : 413)
  }
}

const empty = (status: number, headers: HttpResponse['headers'] = {}): HttpResponse => ({ status, headers, body: '' })

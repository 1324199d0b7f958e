import { BotwrightError } from '@botwright/protocol/facts'
import { limitedText } from '../local-service/limited-body.ts'

const UNAUTHORIZED = 401

/** The rejection of a request that got no response. */
export const noResponse = (service: URL, cause: unknown): BotwrightError =>
  new BotwrightError(
    'ERR_CONFIG',
    `${service.origin} does not respond: start framework dev or framework service again, or correct --service`,
    { cause },
  )

/** The key in the address of a service that requires one. */
export const keyOf = ({ hash }: URL): string | undefined =>
  hash.startsWith('#key=') ? hash.slice('#key='.length) : undefined

/**
 * The body of a response. Rejects with `ERR_CONFIG` if the key is wrong, or if the address is not that of a local service; with
 * `ERR_REFUSED` and the text of the service otherwise.
 */
export async function readResponse(answer: Response, service: URL, request: string): Promise<Record<string, unknown>> {
  const body = await jsonIn(answer)
  if (!body) throw new BotwrightError('ERR_CONFIG', `${service.origin} is not a local chat service: correct --service`)
  if (answer.ok) return body
  const text = typeof body['error'] === 'string' ? body['error'] : ''
  if (answer.status === UNAUTHORIZED && text.includes('key'))
    throw new BotwrightError(
      'ERR_CONFIG',
      `${service.origin} ${keyOf(service) === undefined ? 'requires a key' : 'requires another key'}: pass the address that it printed, including #key=, as --service`,
    )
  throw new BotwrightError('ERR_REFUSED', `${request}: ${answer.status} ${text}`)
}

/** Undefined if it is not an object in JSON. Other servers may send anything, without end. */
async function jsonIn(answer: Response): Promise<Record<string, unknown> | undefined> {
  if (!/^application\/json\b/.test(answer.headers.get('content-type') ?? '')) {
    await answer.body?.cancel()
    return undefined
  }
  const found = await limitedText(answer)
    .then((text): unknown => JSON.parse(text))
    .catch(() => undefined)
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : undefined
}

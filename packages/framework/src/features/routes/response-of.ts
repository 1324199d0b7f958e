import { json, type PlainResponse } from './plain-request.ts'

/** The response for the result of a route with `respond: true`. */
export async function responseOf(result: unknown): Promise<PlainResponse> {
  if (isResponse(result))
    return {
      status: result.status,
      headers: headersOf(result),
      // A copy: a module may return the same response again.
      body: new Uint8Array(await result.clone().arrayBuffer()),
    }
  if (result === undefined || result === null) return { status: 204, headers: {}, body: '' }
  if (typeof result === 'function' || typeof result === 'symbol')
    throw new Error(`run returned a ${typeof result}; return a text, JSON or a Response`)
  if (typeof result !== 'string') return json(200, result)
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: result }
}

/** By its tag, because a library may replace the class: responses of `fetch` then have another one. */
const isResponse = (result: unknown): result is Response =>
  Object.prototype.toString.call(result) === '[object Response]'

/** These headers are about one connection, which is not that of the sender. */
const ofConnection = ['connection', 'content-length', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade']

/** Only cookies may have several values. */
function headersOf({ headers, url }: Response): PlainResponse['headers'] {
  const cookies = headers.getSetCookie()
  const plain: Record<string, string | readonly string[]> = {
    ...Object.fromEntries(headers),
    ...(cookies.length > 0 && { 'set-cookie': cookies }),
  }
  // The body of a response from `fetch` is decoded.
  for (const name of url === '' ? ofConnection : [...ofConnection, 'content-encoding']) delete plain[name]
  return plain
}

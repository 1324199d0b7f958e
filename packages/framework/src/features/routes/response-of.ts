import { json, type PlainResponse } from './plain-request.ts'

/** The response for the result of a route with `respond: true`. */
export async function responseOf(result: unknown): Promise<PlainResponse> {
  if (result instanceof Response)
    return {
      status: result.status,
      headers: headersOf(result.headers),
      body: new Uint8Array(await result.arrayBuffer()),
    }
  if (result === undefined || result === null) return { status: 204, headers: {}, body: '' }
  if (typeof result !== 'string') return json(200, result)
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: result }
}

/** Only cookies may have several values. */
function headersOf(headers: Headers): PlainResponse['headers'] {
  const cookies = headers.getSetCookie()
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) }
}

import type { PeopleRequest } from '@botwright/service/people'
import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true })

/** JSON as text; pictures and forms as bytes. */
async function encoded(body: object | undefined): Promise<{ content?: string | Buffer; type?: string }> {
  if (body === undefined) return {}
  if (!(body instanceof Blob) && !(body instanceof FormData))
    return { content: JSON.stringify(body), type: 'application/json' }
  const response = new Response(body)
  const type = response.headers.get('content-type')
  return { content: Buffer.from(await response.arrayBuffer()), ...(type !== null && { type }) }
}

/**
 * Sends a request to the local service, and reads its response as JSON. Uses Node's own HTTP client: `fetch` takes twice as long, and a test
 * waits for it.
 */
export async function ask(
  { method, path, body }: Omit<PeopleRequest, 'body'> & { body?: object | undefined },
  { url, headers }: { url: string; headers: Readonly<Record<string, string>> },
): Promise<{ status: number; answer: unknown }> {
  const { content, type } = await encoded(body)
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asking = request(
      url + path,
      { agent, method, headers: { ...headers, ...(type !== undefined && { 'content-type': type }) } },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => (text += part))
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      },
    )
    asking.on('error', reject)
    asking.end(content)
  })
  return { status, answer: JSON.parse(text) as unknown }
}

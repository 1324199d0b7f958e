import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true })

/** One call of the local service, with JSON in both directions. Uses Node's own HTTP client: `fetch` takes twice as long, and a test waits for it. */
export async function ask<T>(
  url: string,
  options: { method: string; headers?: Readonly<Record<string, string>>; body?: object | undefined },
): Promise<{ ok: boolean; status: number; answer: T & { error?: string } }> {
  const { method, headers, body } = options
  const sent = body && JSON.stringify(body)
  const { ok, status, text } = await new Promise<{ ok: boolean; status: number; text: string }>((resolve, reject) => {
    const asking = request(
      url,
      { agent, method, headers: { ...headers, ...(sent && { 'content-type': 'application/json' }) } },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => (text += part))
        response.on('error', reject)
        response.on('end', () => {
          const status = response.statusCode ?? 0
          resolve({ ok: status < 400, status, text })
        })
      },
    )
    asking.on('error', reject)
    asking.end(sent)
  })
  return { ok, status, answer: JSON.parse(text) as T & { error?: string } }
}

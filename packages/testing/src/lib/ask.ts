import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true })

/** One call of the local service, with JSON both ways. Node's own client: `fetch` takes twice its time, and a test waits for it. */
export function ask<T>(
  url: string,
  options: { method: string; headers?: Readonly<Record<string, string>>; body?: object | undefined },
): Promise<{ ok: boolean; status: number; answer: T & { error?: string } }> {
  const { method, headers, body } = options
  const sent = body && JSON.stringify(body)
  return new Promise((resolve, reject) => {
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
          try {
            resolve({ ok: status < 400, status, answer: JSON.parse(text) as T & { error?: string } })
          } catch (error) {
            reject(error)
          }
        })
      },
    )
    asking.on('error', reject)
    asking.end(sent)
  })
}

import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

const framework = new URL('../../../dist/index.js', import.meta.url).href
const zod = new URL(import.meta.resolve('zod')).href
const imports = `import { bearer, header, hmac, route } from '${framework}'
import { z } from '${zod}'
`
const secret = 'a-secret-of-github'
const variables = { GITHUB_SECRET: secret, CHANNEL: '' }
const env = z.object({ GITHUB_SECRET: z.string(), CHANNEL: z.string() })

export const withImports = (files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([file, text]) => [file, imports + text]))

/** Starts a bot with these routes on a free port. */
export async function startBot(
  rig: ChatRig,
  files: Record<string, string>,
  options: Parameters<ChatRig['startBot']>[1] = {},
) {
  const { config, variables: own, ...rest } = options
  return rig.startBot(withImports(files), {
    ...rest,
    config: { env, http: { port: 0 }, ...config },
    variables: { ...variables, CHANNEL: rig.channel('general'), ...own },
  })
}

export const urlOf = (rig: ChatRig): string =>
  /http:\S+/.exec(rig.logged('info').findLast((line) => line.startsWith('routes listening')) ?? '')![0]

export const post = (rig: ChatRig, path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(urlOf(rig) + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

export const signed = (body: unknown) => {
  const signature = createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex')
  return { 'x-hub-signature-256': `sha256=${signature}` }
}

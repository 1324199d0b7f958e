import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import type { Finding } from './finding.ts'

const bot = {
  'commands/news.ts': `import { channelWebhook, command, text } from '@botwright/framework'
export default command({
  description: 'Posts news',
  args: { text: text({ max: 20 }) },
  run: async (ctx) => {
    await channelWebhook(String(process.env['NEWS_URL'])).post(\`News: \${ctx.args.text}\`)
    return 'Posted.'
  },
})
`,
}
const answers = `import { invariant, simulation } from '@botwright/testing/simulation'
simulation({ fetch: () => new Response(null, { status: 204 }) })
invariant('nothing is posted', (bot) => bot.messages.every(({ content }) => content !== 'Posted.'))
`

test.each([
  ['reach no network', {}, []],
  ['are requests of fetch', { 'simulate.ts': answers }, ['"nothing is posted" does not hold']],
])('channel webhooks %s in a simulation', async (_, files, expected) => {
  const server = createServer((_request, response) => response.writeHead(204).end())
  let requests = 0
  server.on('request', () => requests++)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const env = `NEWS_URL=http://127.0.0.1:${port}/webhooks/00000000-0000-4000-8000-000000000001/a-secret-token\n`
  await using draft = await BotDraft.make({ ...bot, ...files, '.env': env })
  const { stdout } = await draft.framework(['simulate', '--json', '--seeds', '1', '--faults', 'none'])
  server.close()
  expect(requests).toBe(0)
  expect((JSON.parse(stdout) as { findings: Finding[] }).findings.map(({ text }) => text)).toEqual(expected)
})

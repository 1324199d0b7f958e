import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createEventReceiver } from '@botwright/events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { defaultWorld, startService } from '@botwright/service'
import { openDatabase } from '@botwright/sqlite'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { type Finding, lookAtClock, lookAtDatabase, lookAtNode } from '@botwright/framework/start'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/commands' } as const

const token = 'a-token-that-nobody-may-see'
const settings = '{ "compilerOptions": { "strict": true }, "include": ["**/*", ".framework/types.d.ts"] }'
const bot = { 'commands/ping.ts': "export default () => 'pong'", 'tsconfig.json': settings }

async function examined(draft: BotDraft, env: Record<string, string>) {
  const { code, stdout, stderr } = await draft.framework(['doctor', '--json'], env)
  expect(stdout + stderr).not.toContain(token)
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  const of = (subject: string) => findings.find((finding) => finding.subject === subject)
  return { code, findings, of }
}

test('reports no problem for a correct bot', async () => {
  await using draft = await BotDraft.make(bot)
  await using service = await startService({ port: 0, world: defaultWorld('bot', token) })
  const { code, findings, of } = await examined(draft, { BOT_TOKEN: token, BOT_BASE_URL: service.base_url })
  expect(findings.filter(({ state }) => state !== 'ok')).toEqual([])
  expect(code).toBe(0)
  expect(of('token')).toMatchObject({ fact: 'accepted: the bot is bot' })
  const result = await draft.framework(['doctor'], { BOT_TOKEN: token, BOT_BASE_URL: service.base_url })
  expect(result.stdout).toMatch(/✓ Node .*\n[^]*✓ folder +1 handler loads\n[^]*\nno problems found\n$/)
})

test('reports each permission that the guards need and the bot lacks, by server', inAll, async () => {
  const mute = `import { botHasPermission, command } from '@botwright/framework'
export default command({ guards: [botHasPermission('Timeout members')], run: () => 'muted' })`
  await using draft = await BotDraft.make({ ...bot, 'commands/mute.ts': mute, 'commands/hush.ts': mute })
  const people = [{ username: 'ann' }]
  const server = { owner: 'ann', bots: ['bot'], channels: [{ name: 'general' }] }
  const allowed = { name: 'Helpers', permissions: ['timeout_members' as const], members: ['bot'] }
  const env = async (roles: (typeof allowed)[]) => {
    const servers = [
      { ...server, name: 'Workshop', roles },
      { ...server, name: 'Café', roles: [allowed] },
    ]
    const world = { people, servers, bots: [{ username: 'bot', owner: 'ann', token }] }
    const service = await startService({ port: 0, world })
    return { BOT_TOKEN: token, BOT_BASE_URL: service.base_url, [Symbol.asyncDispose]: () => service.close() }
  }
  await using lacking = await env([])
  const { findings, code } = await examined(draft, lacking)
  expect(findings.filter(({ subject }) => subject === 'permissions')).toEqual([
    {
      state: 'warning',
      subject: 'permissions',
      fact: 'the bot lacks timeout_members in the server "Workshop"; commands/hush.ts, commands/mute.ts need it',
      fix: 'give the bot a role with this permission there',
    },
  ])
  expect(code).toBe(0)
  await using complete = await env([allowed])
  expect((await examined(draft, complete)).of('permissions')).toMatchObject({ state: 'ok' })
})

test('reports packages installed from files whose content has changed since', inAll, async () => {
  const file = 'packages.local/botwright-framework-0.1.0.tgz'
  const integrity = `sha512-${createHash('sha512').update('newer').digest('base64')}`
  const packages = { 'node_modules/@botwright/framework': { version: '0.1.0', resolved: `file:${file}`, integrity } }
  await using draft = await BotDraft.make({
    ...bot,
    [file]: 'newer',
    'node_modules/.package-lock.json': JSON.stringify({ packages }),
  })
  expect((await examined(draft, {})).of('packages')?.state).toBe('ok')
  await draft.write({ [file]: 'newest' })
  expect((await examined(draft, {})).of('packages')).toMatchObject({
    state: 'warning',
    fact: `the installed packages differ from ${file}, which has the same version`,
    fix: 'remove package-lock.json and node_modules/@botwright, then npm install',
  })
})

test('reports the locks of another program on the state and the journal', async () => {
  await using draft = await BotDraft.make({ ...bot, '.botwright/keep': '' })
  const open = (name: string) => openDatabase(join(draft.root, '.botwright', name))
  using state = open('state.db')
  using journal = open('journal.db')
  expect((await examined(draft, {})).findings.filter((finding) => finding.state === 'fault')).toEqual([])
  for (const file of [state, journal]) file.exec('BEGIN IMMEDIATE')
  const { code, findings } = await examined(draft, {})
  const fix = 'close that program'
  expect(findings.filter((finding) => finding.state === 'fault')).toEqual([
    { state: 'fault', subject: 'disk', fact: 'state.db: another program has locked it', fix, code: 'ERR_STATE' },
    { state: 'fault', subject: 'disk', fact: 'journal.db: another program has locked it', fix, code: 'ERR_STATE' },
  ])
  expect(code).toBe(1)
})

test('reports the problems of the running bot at its health port', async () => {
  await using draft = await BotDraft.make(bot)
  const problems = [{ code: 'handler_failing', text: 'commands/a.ts fails', fix: 'Fix the line' }]
  let answer: object = { ready: true, problems }
  const health = createServer((request, response) =>
    response.end(request.url === '/readyz' ? JSON.stringify(answer) : ''),
  )
  await new Promise<void>((resolve) => health.listen(0, '127.0.0.1', resolve))
  const { port } = health.address() as AddressInfo
  const env = { BOT_HEALTH_PORT: String(port) }
  expect((await examined(draft, env)).of('running bot')).toEqual({
    state: 'warning',
    subject: 'running bot',
    fact: 'handler_failing: commands/a.ts fails',
    fix: 'Fix the line',
  })
  answer = { ready: true, problems: [] }
  expect((await examined(draft, env)).of('running bot')).toEqual({
    state: 'ok',
    subject: 'running bot',
    fact: `it reports no problems on port ${port}`,
  })
  expect((await examined(draft, {})).of('running bot'), 'the port is not known').toBeUndefined()
  await draft.write({ 'bot.config.ts': `export default { health: { port: ${port} } }` })
  expect((await examined(draft, {})).of('running bot')).toMatchObject({ state: 'ok' })
  answer = { up: true }
  expect((await examined(draft, env)).of('running bot'), 'another program').toBeUndefined()
  await new Promise((resolve) => health.close(resolve))
  expect((await examined(draft, env)).of('running bot'), 'it does not run').toBeUndefined()
})

test('reports a .env in UTF-16 with the fix', async () => {
  await using draft = await BotDraft.make(bot)
  await writeFile(join(draft.root, '.env'), Buffer.from(`\uFEFFBOT_TOKEN=${token}`, 'utf16le'))
  const { findings, of } = await examined(draft, {})
  expect(of('environment')).toMatchObject({ fact: '.env: is in UTF-16', fix: 'save it as UTF-8' })
  // The files of the bot are examined all the same.
  expect(of('folder')).toMatchObject({ state: 'ok', fact: '1 handler loads' })
  expect(findings.filter(({ fact }) => fact.includes('UTF-16'))).toHaveLength(1)
})

test('reports a bot that is not in any server', async () => {
  await using draft = await BotDraft.make(bot)
  const world = { people: [{ username: 'ann' }], bots: [{ username: 'bot', owner: 'ann', token }] }
  await using service = await startService({ port: 0, world })
  const { code, of } = await examined(draft, { BOT_TOKEN: token, BOT_BASE_URL: service.base_url })
  expect(of('servers')).toMatchObject({ state: 'warning', fact: expect.stringMatching(/not in any server/) })
  expect(code).toBe(0)
})

test('reports a rejected token, and a replaced one', inAll, async () => {
  await using draft = await BotDraft.make(bot)
  await using service = await startService({ port: 0, world: defaultWorld('bot', 'another-token-than-ours') })
  const env = { BOT_TOKEN: token, BOT_BASE_URL: service.base_url }
  const refused = await examined(draft, env)
  expect((await draft.framework(['doctor'], env)).stdout).toMatch(
    /✘ token +\S+ rejects BOT_TOKEN\n +→ copy .*\n +ERR_UNAUTHORIZED: https:\S+\/errors\.md#err_unauthorized\n/,
  )
  expect(refused.code).toBe(1)
  expect(refused.of('token')).toMatchObject({ state: 'fault', fact: expect.stringMatching(/rejects BOT_TOKEN$/) })
  await draft.write({ '.botwright/journal.db': '' })
  expect((await examined(draft, env)).of('token')?.fact).toContain('the token was probably replaced since')
})

test.each([
  ['nobody listens', 'http://127.0.0.1:9998/v1', 'service', /does not answer \(ECONNREFUSED\)/],
  ['the version is missing', 'http://127.0.0.1:9998/api', 'service', /BOT_BASE_URL must end in the version/],
])('an address where %s', inAll, async (_what, url, subject, fact) => {
  await using draft = await BotDraft.make(bot)
  const { code, of } = await examined(draft, { BOT_TOKEN: token, BOT_BASE_URL: url })
  expect(code).toBe(1)
  expect(of(subject)).toMatchObject({ state: 'fault', fact: expect.stringMatching(fact) })
})

test('reports an address without a bot interface', async () => {
  await using draft = await BotDraft.make(bot)
  const page = createServer((_request, response) => response.writeHead(404).end('<h1>not here</h1>'))
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
  const { port } = page.address() as AddressInfo
  const { of } = await examined(draft, { BOT_TOKEN: token, BOT_BASE_URL: `http://127.0.0.1:${port}/v2` })
  expect(of('service')).toMatchObject({
    state: 'fault',
    fact: `127.0.0.1:${port} responds, but not as a bot interface (404 for /v2/me)`,
  })
  page.close()
})

test.each([429, 503])('a service that answers %i is not a wrong address', inAll, async (status) => {
  await using draft = await BotDraft.make(bot)
  const busy = createServer((_request, response) => response.writeHead(status).end('{"error":"slow down"}'))
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve))
  const { port } = busy.address() as AddressInfo
  const { of } = await examined(draft, { BOT_TOKEN: token, BOT_BASE_URL: `http://127.0.0.1:${port}/v1` })
  expect(of('service')).toMatchObject({ state: 'fault', fact: `127.0.0.1:${port} returned an error (${status})` })
  busy.close()
})

test(
  'reports the proxy of the environment, without its password, and asks the service through it',
  { tags: ['all/processes'] },
  async () => {
    await using draft = await BotDraft.make(bot)
    const seen: string[] = []
    const proxy = createServer(({ url = '' }, response) => {
      seen.push(url)
      response.end(JSON.stringify({ id: 'x', username: 'helper', servers: [{}] }))
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const env = { BOT_TOKEN: token, BOT_BASE_URL: 'http://chat.example/v1', HTTP_PROXY: `http://me:${token}@${host}` }
    const { of } = await examined(draft, env)
    expect(of('proxy')).toEqual({
      state: 'ok',
      subject: 'proxy',
      fact: `requests to chat.example go through http://${host} (HTTP_PROXY)`,
    })
    expect(of('token')).toMatchObject({ fact: 'accepted: the bot is helper' })
    expect(seen.slice(0, 2)).toContain('http://chat.example/v1/me')
    const { of: bad } = await examined(draft, { ...env, HTTP_PROXY: `${token}:3128` })
    expect(bad('proxy')).toMatchObject({
      state: 'fault',
      fact: 'HTTP_PROXY is not an http or https URL',
      fix: 'set it to the URL of the proxy, such as http://proxy.example:3128',
    })
    proxy.close()
  },
)

test('escapes control characters in the name of a bot', async () => {
  await using draft = await BotDraft.make(bot)
  const body = JSON.stringify({ id: 'x', username: 'red\u001b[31m\nbot', servers: [{}] })
  const service = createServer((_request, response) => response.end(body))
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const { port } = service.address() as AddressInfo
  const env = { BOT_TOKEN: token, BOT_BASE_URL: `http://127.0.0.1:${port}/v1` }
  expect((await draft.framework(['doctor'], env)).stdout).toContain(String.raw`accepted: the bot is red\u001b[31m\nbot`)
  service.close()
})

test("reports that a bot's types are not checked", inAll, async () => {
  await using draft = await BotDraft.make({ 'commands/ping.ts': "export default () => 'pong'" })
  const types = async () => (await examined(draft, {})).of('types')
  expect(await types()).toMatchObject({ state: 'warning', fact: 'there is no tsconfig.json, so no types are checked' })
  await draft.write({ 'tsconfig.json': '{ "include": ["**/*"] }' })
  expect(await types()).toMatchObject({ fix: 'add ".framework/types.d.ts" to "include" in tsconfig.json' })
  await draft.write({ 'tsconfig.json': settings })
  expect(await types()).toBeUndefined()
  await rm(join(draft.root, 'node_modules/typescript'))
  expect(await types()).toMatchObject({ state: 'warning', fix: 'npm i -D typescript' })
})

test('checks files, variables and the event webhook', inAll, async () => {
  await using draft = await BotDraft.make({
    ...bot,
    'bot.config.ts': `import { defineConfig } from '@botwright/framework'
import { z } from 'zod'
export default defineConfig({ delivery: 'both', env: z.object({ API_KEY: z.string() }) })`,
  })
  const { code, of } = await examined(draft, {})
  expect(code).toBe(1)
  expect(of('token')).toMatchObject({ state: 'warning' })
  expect(of('environment')).toEqual({
    state: 'fault',
    subject: 'environment',
    fact: 'API_KEY is not set',
    fix: 'add API_KEY=… to .env (bot.config.ts declares it in env)',
    code: 'ERR_CONFIG',
  })
  expect(of('event webhook')?.fact).toContain('BOT_WEBHOOK_SECRET is not set')
  await draft.write({ 'commands/Bad Name.ts': '' })
  expect((await examined(draft, {})).of('folder')).toMatchObject({
    state: 'fault',
    fix: 'framework check shows every problem',
  })
})

test('reports an old Node and a wrong clock with the fix', () => {
  expect(lookAtNode('18.2.0')).toMatchObject({ state: 'fault', fix: 'install Node 20.19 or newer' })
  expect(lookAtNode('22.0.0')).toMatchObject({ state: 'ok' })
  const here = fileURLToPath(new URL('.', import.meta.url))
  expect(lookAtDatabase(here, true)).toMatchObject({ state: 'ok' })
  expect(lookAtDatabase(here, false)).toMatchObject({ state: 'ok', fact: 'libsql' })
  expect(lookAtDatabase(tmpdir(), false)).toMatchObject({ state: 'fault', fix: 'npm i libsql' })
  const date = new Date(1_700_000_000_000).toUTCString()
  expect(lookAtClock(date, 1_700_000_002_000)).toMatchObject([{ state: 'ok' }])
  expect(lookAtClock(date, 1_700_000_030_000)).toMatchObject([
    { state: 'warning', fact: 'the clock of this computer is 30 s ahead of the service' },
  ])
  expect(lookAtClock(date, 1_699_999_000_000)).toMatchObject([
    { state: 'fault', fact: 'the clock of this computer is 1000 s behind the service' },
  ])
})

test('reports a .env that git does not ignore, and one that is in the repository', inAll, async () => {
  await using draft = await BotDraft.make({ ...bot, '.env': 'A=1\n' })
  const secrets = async () => (await examined(draft, {})).of('secrets')
  expect(await secrets()).toBeUndefined()
  const git = (...args: string[]) => execFileSync('git', args, { cwd: draft.root })
  git('init', '--quiet')
  // A pattern of other files, such as .env.local.
  for (const ignored of ['', '.env.*\n', '.env\n!.env\n']) {
    await draft.write({ '.gitignore': ignored })
    expect(await secrets(), ignored).toMatchObject({ state: 'warning', fix: 'add .env to .gitignore' })
  }
  for (const ignored of ['.env\n', '*.env\n', '.env*\n', '**/.env\n']) {
    await draft.write({ '.gitignore': ignored })
    expect(await secrets(), ignored).toBeUndefined()
  }
  git('add', '--force', '.env')
  expect(await secrets()).toMatchObject({ state: 'warning', fact: '.env contains the token and is in the repository' })
})

test('reports an address on which the event webhook cannot listen', async () => {
  await using draft = await BotDraft.make({
    ...bot,
    'bot.config.js': "export default { delivery: 'both', webhook: { host: '203.0.113.7', port: 8080 } }",
  })
  const { of, code } = await examined(draft, { BOT_WEBHOOK_SECRET: 'a-secret-of-the-webhook' })
  expect(code).toBe(1)
  expect(of('event webhook')).toMatchObject({
    state: 'fault',
    fact: '203.0.113.7:8080 cannot be used (EADDRNOTAVAIL)',
  })
})

test.each([
  ['the-secret-of-the-bot', 'ok', /accepts BOT_WEBHOOK_SECRET/],
  ['a-secret-that-was-rotated', 'fault', /has another secret than BOT_WEBHOOK_SECRET/],
])('tries the secret of the event webhook on the bot that runs: %s', async (secret, state, fact) => {
  await using receiver = createEventReceiver({
    secrets: ['the-secret-of-the-bot'],
    offer: async () => {},
    report: () => {},
  })
  const { port } = await receiver.listen()
  await using draft = await BotDraft.make({
    ...bot,
    'bot.config.js': `export default { delivery: 'both', webhook: { port: ${port} } }`,
  })
  const { of } = await examined(draft, { BOT_WEBHOOK_SECRET: secret })
  expect(of('event webhook')).toMatchObject({ state, fact: expect.stringMatching(fact) as string })
})

test.each([400, 401])('takes no answer %d of another program for that of the bot', async (status) => {
  const other = createServer((_request, response) => response.writeHead(status).end())
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  try {
    await using draft = await BotDraft.make({
      ...bot,
      'bot.config.js': `export default { delivery: 'both', webhook: { port: ${port} } }`,
    })
    const { of } = await examined(draft, { BOT_WEBHOOK_SECRET: 'a-secret-of-the-webhook' })
    const fact = expect.stringContaining('is in use: by this bot if it is running') as string
    expect(of('event webhook')).toMatchObject({ state: 'warning', fact })
  } finally {
    other.close()
  }
})

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AdvanceableClock, systemClock } from '@botwright/clock'
import { readBuild, startBot } from '@botwright/framework/start'
import { readConfig } from '@botwright/framework'
import { defaultWorld, startService } from '@botwright/service'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { eventually } from '../program.test.fixture.ts'
import { startPerson } from '../test-person.fixture.ts'

const token = 'token-of-the-requests'
const slow = { tags: ['all/processes'] }

const files = {
  'bot.config.ts': 'export default { record: true, http: false }',
  'routes/jobs.ts': `import { route } from '@botwright/framework'
export default route({
  verify: false,
  run: async (ctx) => {
    if (ctx.body.fails) throw new Error('no repository')
    await ctx.state.bot.set('job', ctx.body.name)
    await ctx.send(ctx.body.to, 'job ' + ctx.body.name)
  },
})
`,
  'routes/status.get.ts': `import { route } from '@botwright/framework'
export default route({ verify: false, respond: true, run: () => 'fine' })
`,
}

test('events, explain and replay show requests to routes, and a dry replay sends nothing', slow, async () => {
  await using draft = await BotDraft.make(files)
  const framework = (...args: string[]) => draft.framework(args, { BOT_TOKEN: token, NO_COLOR: '1' })
  expect(await framework('build')).toMatchObject({ code: 0 })
  await using service = await startService({ port: 0, world: defaultWorld('helper', token) })
  const lines: string[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (_: object, message: string) => void lines.push(message) }
  const { source } = readBuild(join(draft.root, 'dist'), draft.root)
  const bot = await startBot({
    ...{ source, config: await readConfig({ record: true, http: false }), log, token, baseUrl: service.base_url },
    stateDir: join(draft.root, '.botwright'),
  })
  const headers = { 'content-type': 'application/json' }
  const ann = await startPerson(service.url, 'ann')
  const [own] = (await ann.api.me.get()).servers
  const { channels } = await ann.api.servers.get({ server_id: own!.id })
  const to = channels.find(({ name }) => name === 'general')!.id
  const jobs = async () => (await ann.sees()).filter((text) => text.startsWith('job '))
  const send = async (job: object) => {
    const body = JSON.stringify({ to, ...job })
    const request = new Request('http://bot.test/jobs', { method: 'POST', headers, body })
    expect((await bot.fetch(request)).status).toBe(202)
  }
  await send({ name: 'one' })
  await send({ name: 'two', fails: true })
  await eventually(async () => expect(await bot.store.list('route:row:')).toEqual([]))
  expect((await bot.fetch(new Request('http://bot.test/status'))).status).toBe(200)
  await bot.stop()

  const listed = await framework('events', '--type', 'route')
  expect(listed.stdout).toMatch(/ route  POST \/jobs +routes\/jobs\.ts .*send “job one”$/m)
  expect(listed.stdout).toMatch(/ route  POST \/jobs +routes\/jobs\.ts .*✘ {2}no repository$/m)
  const failed = await framework('explain', 'POST /jobs')
  expect(failed.stdout).toContain('routes/jobs.ts:5  Error: no repository')
  expect(failed.stdout).not.toContain('event -')
  expect((await framework('explain', 'last')).stdout).toContain('GET /status')
  expect(await framework('explain', 'POST /none')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'no run of the route "POST /none" is recorded; "framework events --type route"',
    ) as unknown,
  })

  const code = await readFile(join(draft.root, 'routes/jobs.ts'), 'utf8')
  await writeFile(join(draft.root, 'routes/jobs.ts'), code.replace('if (ctx.body.fails)', 'if (false)'))
  const again = await framework('explain', 'POST /jobs', '--again')
  expect(again.stdout).toContain('with the current code: the error is fixed')
  const verdictsOf = (stdout: string) =>
    stdout.split('\n').flatMap((line) => /^\{"verdict":"(\w+)"/.exec(line)?.[1] ?? [])
  const since = ['replay', '--since', '1h', '--json'] as const
  expect(verdictsOf((await framework(...since, '--dry')).stdout)).toEqual(['same', 'fixed', 'same'])
  expect(await jobs()).toEqual(['job one'])
  // The service refuses the same message within 10 s, however fast this test is.
  service.clock.advance(10_000)
  const online = { BOT_TOKEN: token, BOT_BASE_URL: service.base_url }
  const real = await draft.framework(since, online)
  expect(verdictsOf(real.stdout)).toEqual(['same', 'fixed', 'skipped'])
  expect(real.stdout).toContain('its sender no longer waits for the response')
  expect(await jobs()).toEqual(['job one', 'job one', 'job two'])
})

test('replay runs a request once that ran again after an error', slow, async () => {
  await using draft = await BotDraft.make({
    'bot.config.ts': 'export default { record: true, http: false }',
    'routes/flaky.ts': `import { route } from '@botwright/framework'
let runs = 0
export default route({ verify: false, retry: true, run: () => { if (runs++ === 0) throw new Error('not yet') } })
`,
  })
  const framework = (...args: string[]) => draft.framework(args, { BOT_TOKEN: token, NO_COLOR: '1' })
  expect(await framework('build')).toMatchObject({ code: 0 })
  await using service = await startService({ port: 0, world: defaultWorld('helper', token) })
  const { source } = readBuild(join(draft.root, 'dist'), draft.root)
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const clock = new AdvanceableClock(systemClock)
  const bot = await startBot({
    ...{ source, config: await readConfig({ record: true, http: false }), log, token, baseUrl: service.base_url },
    ...{ clock, stateDir: join(draft.root, '.botwright') },
  })
  expect((await bot.fetch(new Request('http://bot.test/flaky', { method: 'POST' }))).status).toBe(202)
  await eventually(async () => {
    clock.advance(10_000)
    expect(await bot.store.list('route:row:')).toEqual([])
  })
  await bot.stop()
  const attempts = await framework('events', '--type', 'route')
  expect(attempts.stdout.match(/POST \/flaky/g)).toHaveLength(2)
  const replayed = await framework('replay', '--since', '1h', '--dry', '--json')
  expect(replayed.stdout.match(/"verdict":/g)).toHaveLength(1)
})

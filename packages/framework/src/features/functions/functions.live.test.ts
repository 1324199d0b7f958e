import { inspect } from 'node:util'
import { createStorage } from 'unstorage'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import type { ConfigInput } from '../../author/config/config.ts'
import { keyValueStore } from '../key-value-stores/key-value-store.ts'
import { consoleLog } from './console-log.ts'
import { EventMarks } from './event-marks.ts'
import { FunctionRig, functionsOf } from './function-rig.test.fixture.ts'
import { withImports } from '../routes/route-rig.test.fixture.ts'

const frameworkUrl = new URL('../../../dist/index.js', import.meta.url).href

/** The first test of the file stands for these. */
const slow = { tags: 'all/live' } as const

const row = (custom_id: string) =>
  `[{ type: 'row', components: [{ type: 'button', style: 'primary', label: 'Yes', custom_id: '${custom_id}' }] }]`

const files = {
  'commands/ping.ts': 'export default () => "pong"',
  'commands/poll.ts': `export default (ctx) => ctx.reply({ content: 'vote', components: ${row('vote')} })`,
  'buttons/vote.ts': 'export default (ctx) => ctx.update("voted")',
}

test('answers a command and a click that arrive as event webhooks', async () => {
  await using it = await FunctionRig.start(files)
  await it.scheduled()
  await it.rig.says('ann', '/ping')
  expect(await it.texts(1)).toEqual(['pong'])
  await it.rig.says('ann', '/poll')
  expect(await it.texts(2)).toEqual(['pong', 'vote'])
  await it.rig.clicks()
  await it.rig.until(async () => (await it.texts(2)).includes('voted'))
  expect(await it.rig.callbacks()).toEqual(['update'])
})

test('a handler changes its state in a key-value storage', slow, async () => {
  const counting = {
    'commands/count.ts':
      'export default async (ctx) => String(await ctx.state.user.update("count", (count) => (count ?? 0) + 1))',
  }
  await using it = await FunctionRig.start(counting, {
    config: { limits: { handlerSeconds: 5 } },
    openStore: async (clock) => keyValueStore(createStorage(), clock),
  })
  await it.scheduled()
  await it.rig.says('ann', '/count')
  await it.texts(1)
  await it.rig.says('ann', '/count')
  expect(await it.texts(2)).toEqual(['1', '2'])
})

test('an event that arrives again, at another instance or by a poll, runs once', slow, async () => {
  await using it = await FunctionRig.start(files)
  await it.scheduled()
  await it.rig.says('ann', '/ping')
  await it.texts(1)
  await it.idle()
  const [{ id, type, data }] = (await it.events()) as [Awaited<ReturnType<typeof it.events>>[number]]
  const copy = { id, event: type, data }
  expect(await it.post(copy)).toBe(200)
  expect(await it.post(copy, 'another secret')).toBe(401)
  await it.scheduled()
  const other = await it.another(files)
  await other.scheduled({}, it.env)
  // By then, another run would have replied.
  await it.rig.says('ann', '/ping')
  await it.texts(2)
  await it.idle()
  expect(await it.texts(2)).toEqual(['pong', 'pong'])
})

test(
  'a click whose handler takes longer is acknowledged in time, and its instance stays for the answer',
  slow,
  async () => {
    const patient = {
      ...files,
      'buttons/vote.ts':
        'export default async (ctx) => { await new Promise((resolve) => setTimeout(resolve, 2500)); await ctx.update("voted") }',
      'buttons/quiet.ts': 'export default () => {}',
      'commands/quiet.ts': `export default (ctx) => ctx.reply({ content: 'quiet', components: ${row('quiet')} })`,
    }
    await using it = await FunctionRig.start(patient)
    await it.scheduled()
    await it.rig.says('ann', '/poll')
    await it.texts(1)
    await it.rig.clicks()
    await it.rig.until(async () => (await it.texts(1)).includes('voted'))
    expect(await it.rig.callbacks()).toEqual(['ack', 'update'])
    // A handler that answers nothing does not keep its instance until the ack is due.
    await it.rig.says('ann', '/quiet', 'random')
    await it.rig.clicks('random')
    await it.rig.until(async () => (await it.rig.callbacks()).length === 3)
    expect((await it.rig.callbacks())[2]).toBe('ack')
  },
)

test('a scheduled run handles missed events in their order, and each once', slow, async () => {
  const counting = {
    'commands/say.ts': 'export default (ctx) => ctx.content.slice(5)',
  }
  await using it = await FunctionRig.start(counting, { hasWebhook: false })
  await it.scheduled()
  for (const word of ['one', 'two', 'three']) await it.rig.says('ann', `/say ${word}`)
  const other = await it.another(counting)
  // At the same time: the claims decide.
  await Promise.all([it.scheduled(), other.scheduled({}, it.env)])
  await it.scheduled()
  expect(await it.texts(3)).toEqual(['one', 'two', 'three'])
})

test(
  'an event whose instance was ended runs again after the time of that instance, before later ones of its channel',
  slow,
  async () => {
    const say = {
      'commands/say.ts': 'export default (ctx) => `${ctx.content.slice(5)}${ctx.redelivered ? " again" : ""}`',
    }
    await using it = await FunctionRig.start(say, { hasWebhook: false })
    await it.scheduled()
    for (const word of ['one', 'two', 'three']) await it.rig.says('ann', `/say ${word}`)
    await it.rig.says('ann', '/say elsewhere', 'random')
    const [, second] = await it.events()
    // The mark of an instance that was ended while it handled the event.
    const untilMs = it.clock.now() + 60_000
    await new EventMarks({ ...it, log: console }).claim(second!, untilMs)
    await it.scheduled()
    await it.scheduled()
    expect(await it.texts(1)).toEqual(['one'])
    expect(await it.rig.texts('random')).toContain('elsewhere')
    it.clock.advance(120_000)
    await it.scheduled()
    expect(await it.texts(3)).toEqual(['one', 'two again', 'three'])
    // After three attempts, the event is set aside, and those behind it run.
    await it.rig.says('ann', '/say four')
    await it.rig.says('ann', '/say five')
    const four = (await it.events()).at(-2)!
    const marks = new EventMarks({ ...it, log: console })
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(await marks.claim(four, it.clock.now() + 1000)).toEqual({ attempt })
      it.clock.advance(2000)
    }
    await it.scheduled()
    expect((await it.texts(4)).slice(3)).toEqual(['five'])
  },
)

test('a cooldown and the message budget count for all instances', slow, async () => {
  const files = withImports({
    'commands/rare.ts': `import { command, cooldown } from '${frameworkUrl}'
      export default command({ description: 'Rare', guards: [cooldown('1h')], run: () => 'done' })`,
    'commands/say.ts': 'export default (ctx) => ctx.content',
  })
  const config = { messageBudget: { requests: 3, seconds: 60 }, limits: { handlerSeconds: 5 } }
  await using it = await FunctionRig.start(files, { config, hasWebhook: false })
  await it.scheduled()
  const other = await it.another(files, config)
  await it.rig.says('ann', '/rare')
  await it.scheduled()
  await it.rig.says('ann', '/rare')
  await other.scheduled({}, it.env)
  const [done, refusal] = await it.texts(2)
  expect([done, refusal]).toEqual(['done', 'Wait 1 h, then try again.'])
  await it.rig.says('ann', '/say 3')
  await it.scheduled()
  await it.rig.says('ann', '/say 4')
  // The slots of the other instance are used up, too: its handler ends at its limit, without a request.
  await other.scheduled({}, it.env)
  expect(await it.texts(3)).toEqual([done, refusal, '/say 3'])
  expect((await it.rig.calls('POST', /\/messages$/)).every(({ status }) => status < 300)).toBe(true)
})

test('reports invalid requests once a minute, and a position older than the events of the service', slow, async () => {
  const written = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => written.mockRestore())
  const warnings = () => written.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('"warn"'))
  await using it = await FunctionRig.start(files)
  await it.scheduled()
  for (let i = 0; i < 3; i++) expect(await it.post({ id: i }, 'another secret')).toBe(401)
  expect(warnings()).toEqual([expect.stringContaining('missing or wrong signature')])
  it.clock.advance(25 * 60 * 60_000)
  await it.scheduled()
  expect(warnings()[1]).toContain('the last scheduled run was more than 1 day ago')
  await it.scheduled()
  expect(warnings()).toHaveLength(2)
})

test('logs once that the secret of the webhook is missing, and where its variables are', slow, async () => {
  const [written, failed] = (['log', 'error'] as const).map((name) => vi.spyOn(console, name).mockReturnValue())
  onTestFinished(() => void [written, failed].map((spy) => spy?.mockRestore()))
  const config = { env: z.object({ API_KEY: z.string() }) }
  await using it = await FunctionRig.start(files, { config })
  const { BOT_WEBHOOK_SECRET: _, ...env } = it.env
  const post = (variables: object) =>
    it.bot.fetch(new Request(it.url, { method: 'POST', body: '{}' }), { ...variables, API_KEY: 'a key' })
  const { BOT_TOKEN: __, ...noToken } = env
  expect((await post(noToken)).status).toBe(503)
  await expect(it.bot.scheduled({}, env)).rejects.toThrow(
    'API_KEY is not set: add API_KEY=… to the variables of the function (bot.config.ts declares it in env)',
  )
  expect(failed?.mock.calls).toEqual([
    [
      'the bot could not start: BOT_TOKEN is not set: copy the bot token from the Developer screen into the variables of the function: BOT_TOKEN=…',
    ],
  ])
  await expect(
    it.bot.scheduled({}, { ...env, API_KEY: 'a key', BOT_BASE_URL: 'http://127.0.0.1:9998/v1' }),
  ).rejects.toThrow('no connection to http://127.0.0.1:9998 (ECONNREFUSED)')
  for (let i = 0; i < 2; i++) expect((await post(env)).status).toBe(503)
  const errors = written?.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('"error"'))
  expect(errors).toEqual([expect.stringContaining('event webhooks are refused: BOT_WEBHOOK_SECRET is not set')])
})

test('a question and a broadcast are refused', slow, async () => {
  const files = {
    'commands/ask.ts': 'export default (ctx) => ctx.ask("How many?")',
    'commands/all.ts': 'export default (ctx) => ctx.broadcast([ctx.channel_id], "hello")',
  }
  await using it = await FunctionRig.start(files)
  await it.scheduled()
  await it.rig.says('ann', '/ask')
  await it.rig.says('ann', '/all')
  const texts = await it.texts(2)
  expect(texts.every((text) => text.startsWith('Something went wrong'))).toBe(true)
  expect(texts).not.toContain('How many?')
})

test('a bot that cannot start logs the reason without secrets, and a program error with its place', slow, async () => {
  const failed = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => failed.mockRestore())
  const env = { QUEUE_URL: 'amqp://bot:word-that-opens@queue', HOOK_SECRET: 'secret-of-the-hook' }
  const openStore = () => {
    throw new Error(`cannot connect to ${env.QUEUE_URL} with ${env.HOOK_SECRET}`)
  }
  await using it = await FunctionRig.start(files, { hasWebhook: false })
  const bot = await functionsOf(it.rig, files, { config: { store: openStore }, clock: it.clock })
  const variables = { ...it.env, ...env }
  expect((await bot.fetch(new Request(it.url), variables)).status).toBe(503)
  const [text] = failed.mock.calls[0] as [string]
  expect(text).toMatch(/^the bot could not start: Error: cannot connect to \S+ with \[secret\]\n +at .*functions\.live/)
  const error = await bot.scheduled({}, variables).catch((thrown: Error) => thrown)
  for (const one of [text, inspect(error)]) {
    expect(one).not.toContain('word-that-opens')
    expect(one).not.toContain('secret-of-the-hook')
  }
})

test('errors for the platform hide the values that the configuration declares', slow, async () => {
  const failed = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => failed.mockRestore())
  const openStore = () => {
    throw new Error('cannot connect as opener-of-doors')
  }
  await using it = await FunctionRig.start(files, { hasWebhook: false })
  const env = z.object({ ACCOUNT: z.string() })
  const bot = await functionsOf(it.rig, files, { config: { env, store: openStore }, clock: it.clock })
  const variables = { ...it.env, ACCOUNT: 'opener-of-doors' }
  expect((await bot.fetch(new Request(it.url), variables)).status).toBe(503)
  const error = await bot.scheduled({}, variables).catch((thrown: Error) => thrown)
  expect(failed.mock.calls[0]![0]).toContain('cannot connect as [secret]')
  expect(inspect(error)).toContain('cannot connect as [secret]')
})

test('a bot whose routes lack a secret, or whose variables hold its messages, does not start', slow, async () => {
  const failed = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => failed.mockRestore())
  const hook = withImports({
    'routes/hook.ts': "export default route({ verify: bearer('HOOK_SECRET'), run: () => {} })",
  })
  await using it = await FunctionRig.start(hook, { hasWebhook: false })
  const statusOf = async (config: ConfigInput) => {
    const bot = await it.another(hook, config)
    return (await bot.fetch(new Request(`${it.url}/hook`, { method: 'POST', body: '{}' }), it.env)).status
  }
  expect(await statusOf({})).toBe(503)
  expect(await statusOf({ quietHours: { from: '22:00', until: '07:00' } })).toBe(503)
  const reasons = failed.mock.calls.map(([text]) => String(text))
  expect(reasons).toEqual([
    'the bot could not start: routes/hook.ts: HOOK_SECRET is not set: declare it in env of bot.config.ts, and set the variable',
    'the bot could not start: bot.config.ts: functions cannot have quietHours; remove it, or run the bot with framework start',
  ])
})

test('the log of functions has every level and every value', slow, () => {
  const written = vi.spyOn(console, 'log').mockReturnValue()
  onTestFinished(() => written.mockRestore())
  const log = consoleLog('trace', [])
  const circle: { self?: object } = {}
  circle.self = circle
  log.debug({ big: 2n ** 64n, circle, list: [1n], error: new Error('failed', { cause: 1n }) }, 'said')
  log.info({ level: 'mine', msg: 'mine' }, 'kept')
  const [first, second] = written.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>)
  expect(first).toMatchObject({ level: 'debug', msg: 'said', big: '18446744073709551616n' })
  expect(first!['circle']).toContain('[Circular')
  expect(first!['list']).toBe('[ 1n ]')
  expect(second).toMatchObject({ level: 'info', msg: 'kept' })
  expect(consoleLog(undefined, []).isLevelEnabled?.('info')).toBe(true)
  expect(consoleLog('fatal', []).isLevelEnabled?.('error')).toBe(false)
})

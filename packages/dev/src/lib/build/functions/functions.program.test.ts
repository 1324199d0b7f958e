import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { existsSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type FunctionBot, nodeHandler } from '@botwright/framework/functions'
import { defaultWorld, startService } from '@botwright/service'
import { expect, test } from 'vitest'
import { BotDraft } from '../../bot-folder.test.fixture.ts'
import { startPerson } from '../../test-person.fixture.ts'

/** The first test of the file stands for these. */
const slow = { tags: 'all/commands' } as const

const config = (fields = '') => `import { defineConfig, MemoryStore } from '@botwright/framework'
export default defineConfig({ store: ({ clock }) => new MemoryStore(clock), ${fields} })`

const files = {
  'bot.config.ts': config(),
  'lib/words.ts': "export const word = 'pong'",
  'commands/ping.ts':
    "import { command } from '@botwright/framework'\nimport { word } from '../lib/words.ts'\nexport default command({ description: 'Pong', run: () => word })",
  'commands/poll.ts':
    "import { command, row } from '@botwright/framework'\nimport vote from '../buttons/vote.ts'\nexport default command({ description: 'Poll', run: (ctx) => ctx.reply({ content: 'vote', components: [row(vote.button({ label: 'Yes' }))] }) })",
  'buttons/vote.ts':
    "import { button } from '@botwright/framework'\nexport default button({ run: (ctx) => ctx.update('voted') })",
  'routes/status.get.ts':
    "import { route } from '@botwright/framework'\nexport default route({ verify: false, respond: true, run: () => 'up' })",
}

test('the module answers a command, a click and a request, behind a server of Node', async () => {
  await using draft = await BotDraft.make(files)
  const built = await draft.framework(['build', '--target', 'fetch'])
  expect(built).toMatchObject({ code: 0 })
  expect(built.stdout).toMatch(/dist\/bot\.mjs +\d+\.\d kB/)
  expect(built.stdout).toContain('! between calls the bot shows as offline\n')
  // The code of durable handlers, which the build refuses.
  expect(await readFile(join(draft.root, 'dist/bot.mjs'), 'utf8')).not.toContain('DurableRuns')
  await using service = await startService({
    port: 0,
    world: defaultWorld('counter', 'token-of-the-counter'),
    allowLoopbackWebhooks: true,
  })
  const ann = await startPerson(service.url, 'ann')
  const env = { BOT_TOKEN: 'token-of-the-counter', BOT_BASE_URL: service.base_url, BOT_WEBHOOK_SECRET: '' }
  const { default: bot } = (await import(pathToFileURL(join(draft.root, 'dist/bot.mjs')).href)) as {
    default: FunctionBot
  }
  const handler = nodeHandler(bot, env)
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const bot_id = (await ann.api.bots.list()).bots[0]!.id
    env.BOT_WEBHOOK_SECRET = (await ann.api.bots.setEventWebhook({ bot_id, url: `${url}/` })).secret!
    await bot.scheduled({}, env)
    expect(await ann.answerTo('/ping')).toBe('pong')
    expect(await ann.answerTo('/poll')).toBe('vote')
    expect(await (await fetch(`${url}/status`)).text()).toBe('up')
    expect((await fetch(`${url}/`, { method: 'POST', body: '{}' })).status).toBe(401)
    await handler.idle()
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

test('names each thing that functions cannot do, with its place, and builds nothing', slow, async () => {
  const command = (body: string) => `export default ${body}\n`
  await using draft = await BotDraft.make({
    'bot.config.ts': "export default {\n  quietHours: { from: '22:00', until: '07:00' },\n}\n",
    'commands/ask.ts': command("async (ctx) => {\n  await ctx.ask('How many?')\n}"),
    'commands/all.ts': command("(ctx) => ctx.broadcast([], 'all')"),
    'commands/slow.ts':
      "import { command } from '@botwright/framework'\nexport default command({\n  durable: true,\n  description: 'Slow',\n  run: () => 'slow',\n})\n",
    'commands/thread.ts': "import { Worker } from 'node:worker_threads'\nexport default () => String(Worker.name)\n",
    'lib/beside.ts': 'export const here = import.meta.url\n',
    'commands/beside.ts': "import { here } from '../lib/beside.ts'\nexport default () => here\n",
    'events/ready.ts': 'export default () => {}\n',
    'tasks/often.ts':
      "import { task } from '@botwright/framework'\nexport default task({\n  every: '10s',\n  run: () => {},\n})\n",
  })
  const { code, stdout } = await draft.framework(['build', '--target', 'fetch'])
  expect(code).toBe(1)
  for (const line of [
    'bot.config.ts  store is missing: nothing stays in a function between its requests; set it to a store that all instances share',
    'bot.config.ts:2:3  messages are held by a process that lasts; remove quietHours, or run this bot with framework start',
    'commands/ask.ts:2:13  ctx.ask waits for an answer that arrives in another invocation; ask with buttons, whose files handle the clicks',
    'commands/all.ts:1:29  ctx.broadcast takes longer than an invocation; run this bot with framework start',
    'commands/slow.ts:3:3  durable handlers are continued by a process that lasts; run this bot with framework start',
    'commands/thread.ts:1:24  node:worker_threads does not exist in Workers',
    'lib/beside.ts:1:21  import.meta: a function is one file in no folder; import what it reads',
    'events/ready.ts:1:1  events/ready: a function does not start as a process does; do this in a task',
    'tasks/often.ts:3:3  runs every 10 s, but the functions are scheduled every 1 min; run it less often, or pass --every',
  ])
    expect(stdout).toContain(line)
  expect(stdout).toContain('nothing was built')
  expect(existsSync(join(draft.root, 'dist'))).toBe(false)
})

test('lists what differs, and framework start refuses the build', slow, async () => {
  await using draft = await BotDraft.make({
    'bot.config.ts': config('health: { port: 0 }, answerBots: true, limits: { handlerSeconds: 20 }'),
    'commands/ping.ts': "import { spawns } from 'spawning'\nexport default () => spawns",
    'node_modules/spawning/package.json': '{"name":"spawning","version":"1.0.0","main":"index.js"}',
    'node_modules/spawning/index.js': "exports.spawns = typeof require('child_process').spawn",
    'tasks/daily.ts':
      "import { task } from '@botwright/framework'\nexport default task({ every: '1d', run: () => {} })\n",
  })
  const { code, stdout } = await draft.framework(['build', '--target', 'fetch', '--every', '5m', '--out', 'out'])
  expect(code).toBe(0)
  expect(stdout).toContain('tasks and ctx.schedule run when the platform calls scheduled, every 5 min')
  expect(stdout).toContain('answers to other bots are counted in each invocation')
  expect(stdout).toContain('health of bot.config.ts has no effect')
  expect(stdout).toContain('the package spawning imports child_process, which does not exist in Workers')
  expect(stdout).not.toContain('handlers have')
  const env = { BOT_TOKEN: 't', BOT_BASE_URL: 'http://127.0.0.1:9/v1' }
  const started = await draft.framework(['start', 'out'], env)
  expect(started.code).not.toBe(0)
  expect(started.stderr).toContain('the folder is built as functions (--target fetch)')
  expect(started.stderr).toContain('run "framework build"')
})

test('a bot without bot.config.ts is refused with the name of the file', slow, async () => {
  await using draft = await BotDraft.make({ 'commands/ping.ts': "export default () => 'pong'\n" })
  const { code, stdout } = await draft.framework(['build', '--target', 'fetch'])
  expect([code, stdout]).toEqual([1, expect.stringContaining('bot.config.ts is missing: nothing stays in a function')])
})

test('a plugin of the workspace is part of the module, with its options', slow, async () => {
  await using draft = await BotDraft.make({
    'bot.config.ts': `import greet from 'greet'\n${config("plugins: { greet: greet({ word: 'hello' }) }")}`,
    'shared/greet/package.json':
      '{"name":"greet","version":"1.0.0","type":"module","botwright":"plugin.ts","exports":"./dist/plugin.js"}',
    'shared/greet/plugin.ts':
      "import { plugin } from '@botwright/framework'\nimport { z } from 'zod'\nexport default plugin({ url: import.meta.url, options: z.object({ word: z.string() }) })\n",
    'shared/greet/commands/greet.ts':
      "import { command } from '@botwright/framework'\nimport greet from '../plugin.ts'\nexport default command({ description: 'Greets', run: (ctx) => greet.options(ctx).word })\n",
  })
  await symlink(join(draft.root, 'shared/greet'), join(draft.root, 'node_modules/greet'))
  const { code, stdout } = await draft.framework(['build', '--target', 'fetch'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 handler in dist/')])
  await using service = await startService({ port: 0, world: defaultWorld('greeter', 'token-of-the-greeter') })
  const ann = await startPerson(service.url, 'ann')
  const env = { BOT_TOKEN: 'token-of-the-greeter', BOT_BASE_URL: service.base_url }
  const { default: bot } = (await import(pathToFileURL(join(draft.root, 'dist/bot.mjs')).href)) as {
    default: FunctionBot
  }
  await bot.scheduled({}, env)
  const answer = ann.answerTo('/greet')
  await expect.poll(() => ann.sees()).toContain('/greet')
  await bot.scheduled({}, env)
  expect(await answer).toBe('hello')
})

test('a handler is refused for what it is, wherever its options come from, and no other data is', slow, async () => {
  const draftFiles = {
    'bot.config.ts': `import { defineConfig, MemoryStore } from '@botwright/framework'
const cluster = { cluster: { url: 'amqp://queue' }, assets: 'https://cdn.example' }
export default defineConfig({ store: ({ clock }) => new MemoryStore(clock), assets: [], help: cluster.assets !== '' })`,
    // Options of a queue, as of RabbitMQ.
    'lib/queue.ts': "export const queue = { name: 'orders', durable: true, gather: 3 }\n",
    'commands/order.ts':
      "import { queue } from '../lib/queue.ts'\nexport default ({ durable } = queue) => String(durable)\n",
  }
  await using fine = await BotDraft.make(draftFiles)
  expect(await fine.framework(['build', '--target', 'fetch'])).toMatchObject({ code: 0 })
  await using draft = await BotDraft.make({
    ...draftFiles,
    'bot.config.ts': `import { defineConfig, MemoryStore } from '@botwright/framework'
const more = Object.fromEntries([['assets', ['words.txt']]])
export default defineConfig({ ...more, store: ({ clock }) => new MemoryStore(clock) })`,
    'words.txt': 'one',
    'lib/options.ts': "export const lasting = { ['dura' + 'ble']: true as const }\n",
    'commands/spread.ts':
      "import { command } from '@botwright/framework'\nimport { lasting } from '../lib/options.ts'\nexport default command({ ...lasting, description: 'Spread', run: () => 'done' })\n",
    'events/message.ts':
      "import { event } from '@botwright/framework'\nexport default event('message', {\n  'gather': { quiet: '2s', max: '5s' },\n  run: () => {},\n})\n",
    'lib/old.cjs': "exports.spawn = require('child_process').spawn\n",
    'lib/threads.ts': "export { Worker } from 'node:worker_threads'\nexport * from 'node:vm'\n",
    'commands/modules.ts':
      "import { spawn } from '../lib/old.cjs'\nimport * as threads from '../lib/threads.ts'\nexport default () => typeof spawn + typeof threads.Worker\n",
  })
  const { code, stdout } = await draft.framework(['build', '--target', 'fetch'])
  expect(code).toBe(1)
  const found = [...stdout.matchAll(/✘ (\S+ {2}.*)/g)].map(([, line]) => line)
  expect(found.sort()).toEqual([
    'bot.config.ts:1:1  a function has no files; import them, and remove assets',
    'commands/spread.ts:1:1  durable handlers are continued by a process that lasts; run this bot with framework start',
    'events/message.ts:3:3  gathered events wait in the memory of a process; run this bot with framework start',
    'lib/old.cjs:1:25  child_process does not exist in Workers',
    'lib/threads.ts:1:24  node:worker_threads does not exist in Workers',
    'lib/threads.ts:2:15  node:vm does not exist in Workers',
  ])
})

test('the file of a plugin that functions cannot run is refused with its place', slow, async () => {
  await using draft = await BotDraft.make({
    'bot.config.ts': `import often from 'often'\n${config('plugins: { often: often() }')}`,
    'shared/often/package.json':
      '{"name":"often","version":"1.0.0","type":"module","botwright":"plugin.ts","exports":"./dist/plugin.js"}',
    'shared/often/plugin.ts':
      "import { plugin } from '@botwright/framework'\nexport default plugin({ url: import.meta.url })\n",
    'shared/often/tasks/tick.ts':
      "import { task } from '@botwright/framework'\nexport default task({ every: '10s', run: () => {} })\n",
  })
  await symlink(join(draft.root, 'shared/often'), join(draft.root, 'node_modules/often'))
  const { code, stdout } = await draft.framework(['build', '--target', 'fetch'])
  expect([code, stdout]).toEqual([1, expect.stringMatching(/tasks\/tick\.ts.* {2}runs every 10 s, but the functions/)])
})

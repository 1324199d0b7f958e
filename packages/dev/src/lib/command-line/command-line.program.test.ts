import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultWorld, startService } from '@botwright/service'
import { expect, test } from 'vitest'
import { withOwn } from '@botwright/framework/start'
import { commands } from './table.ts'
import { BotDraft, templateFolder } from '../bot-folder.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const bot = {
  'commands/ping.ts': "export const description = 'Answers'\nexport default () => 'pong'",
  'commands/role/add.ts': "export default () => 'added'",
  'commands/middleware.ts':
    "import { middleware } from '@botwright/framework'\nexport default middleware((_ctx, next) => next())",
  'buttons/vote.ts':
    "import { button, oneOf } from '@botwright/framework'\nexport default button({ params: { choice: oneOf('a', 'b') }, run: () => {} })",
  'events/ready.ts': 'export default () => {}',
}

test('routes lists the purpose of each file, its guards and its middleware', async () => {
  const guarded = (guards: string, run: string) =>
    `import { command, cooldown, serverOnly } from '@botwright/framework'\nexport default command({ description: 'Answers', guards: [${guards}], run: () => '${run}' })`
  await using draft = await BotDraft.make({
    ...bot,
    'commands/ping.ts': guarded("serverOnly(), cooldown('10s'), cooldown('1h', { per: 'server', uses: 5 })", 'pong'),
    'tasks/digest.ts':
      "import { task } from '@botwright/framework'\nexport default task({ cron: '0 9 * * *', timezone: 'Europe/Berlin', run: () => {} })",
    'tasks/sweep.ts':
      "import { task } from '@botwright/framework'\nexport default task({ every: '10m', run: () => {} })",
    'routes/github.ts':
      "import { hmac, route } from '@botwright/framework'\nexport default route({ verify: hmac({ header: 'x-signature', secret: 'GITHUB_SECRET' }), run: () => {} })",
    'routes/status.get.ts':
      "import { route } from '@botwright/framework'\nexport default route({ verify: false, respond: true, run: () => 'up' })",
    'state/score.ts':
      "import { state } from '@botwright/framework'\nexport default state({ scope: 'member', initial: 0 })",
  })
  const { code, stdout } = await draft.framework(['routes'])
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /Commands 2\n +\/ping +Answers +commands\/ping\.ts\n +only in servers, limited to one use per 10 s/,
  )
  expect(stdout).toMatch(/\n +inside of commands\/middleware\n +\/role add /)
  expect(stdout).toMatch(/digest +0 9 \* \* \* \(Europe\/Berlin\) +tasks\/digest\.ts/)
  expect(stdout).toMatch(/sweep +every 10 min +tasks\/sweep\.ts/)
  expect(stdout).toMatch(/POST \/github +signed \(GITHUB_SECRET\) +routes\/github\.ts/)
  expect(stdout).toMatch(/GET \/status +from anyone, responds +routes\/status\.get\.ts/)
  expect(stdout).toMatch(/score +one for each member +state\/score\.ts/)
  // A pipe has no width.
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
  expect(stdout).toMatch(/Buttons 1\n +vote +choice: "a" \| "b" +buttons\/vote\.ts/)
  expect(stdout).not.toContain('\u001b[')
  const { routes } = JSON.parse((await draft.framework(['routes', '--json'])).stdout) as { routes: object[] }
  expect(routes).toContainEqual({
    kind: 'command',
    name: 'ping',
    file: 'commands/ping.ts',
    description: 'Answers',
    guards: ['only in servers', 'limited to one use per 10 s per person', 'limited to 5 uses per 1 h per server'],
    middleware: ['commands/middleware.ts'],
  })
  expect(routes).toContainEqual(expect.objectContaining({ name: 'score', scope: 'member' }))
  expect(routes).toContainEqual(
    expect.objectContaining({ name: 'sweep', schedule: expect.objectContaining({ everyMs: 600_000 }) }),
  )
})

test('commands are compared with the registered ones, and registered', slow, async () => {
  await using draft = await BotDraft.make(bot)
  const token = 'token-of-the-commands'
  await using service = await startService({ port: 0, world: defaultWorld('bot', token) })
  const env = { BOT_TOKEN: token, BOT_BASE_URL: service.base_url }
  const run = (...args: string[]) => draft.framework(['commands', ...args], env)
  expect(await run('diff')).toMatchObject({ code: 1, stdout: expect.stringContaining('+ /ping  Answers') })
  expect(await run('sync')).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ registered at 127.0.0.1:') })
  await draft.write({ 'commands/ping.ts': "export const description = 'Replies'\nexport default () => 'pong'" })
  const { code, stdout } = await run('diff', '--json')
  expect({ code, ...(JSON.parse(stdout) as object) }).toEqual({
    code: 1,
    changed: true,
    steps: [{ step: 'describe', name: 'ping' }],
  })
  const { commands } = JSON.parse((await run('list', '--json')).stdout) as { commands: { name: string }[] }
  expect(commands.map(({ name }) => name).sort()).toEqual(['help', 'ping', 'role'])
  expect(await draft.framework(['commands', 'lits'], env)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('(Did you mean list?)'),
  })
  await draft.write({ 'commands/broken.ts': 'export default (' })
  for (const action of ['diff', 'sync']) {
    const failed = await run(action, '--json')
    expect({ code: failed.code, ...(JSON.parse(failed.stdout) as object) }).toEqual({
      code: 1,
      problems: [expect.objectContaining({ file: 'commands/broken.ts', text: 'Unexpected end of file' })],
    })
  }
  const unset = await draft.framework(['commands', 'list'])
  expect(unset).toMatchObject({ code: 1, stderr: expect.stringContaining('BOT_TOKEN is not set') })
})

test('info prints versions and counts, and no value of the environment', slow, async () => {
  await using draft = await BotDraft.make({ ...bot, '.env': 'BOT_TOKEN=a-token-in-a-file\n' })
  const { stdout } = await draft.framework(['info'])
  expect(stdout).toMatch(/@botwright\/framework +\d+\.\d+\.\d+/)
  expect(stdout).toMatch(/BOT_TOKEN +set\n +BOT_BASE_URL +none/)
  expect(stdout).not.toContain('a-token-in-a-file')
  expect(JSON.parse((await draft.framework(['info', '--json'])).stdout)).toMatchObject({
    bundled: { undici: expect.stringMatching(/^\d/), zod: expect.stringMatching(/^\d/) },
    bot: { command: 2, button: 1, event: 1, middleware: 1, plugins: null, delivery: 'poll' },
  })
})

test.each(['commands/admin', 'src', 'test'])(
  'in %s, a subfolder of a bot, writes nothing and names the bot',
  async (part) => {
    const source = part === 'src' ? 'src/' : ''
    await using draft = await BotDraft.make({
      [`${source}commands/admin/kick.ts`]: "export default () => 'out'",
      'test/a.test.ts': '',
    })
    const { code, stdout, stderr } = await draft.framework(['add', 'command', 'ban'], {}, part)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    const way = part === 'commands/admin' ? '../..' : '..'
    expect(stderr.split('\n')[0]).toBe(
      `${join(draft.root, part)} is part of the bot in ${draft.root}: use that folder (cd ${way})`,
    )
    expect(existsSync(join(draft.root, part, 'commands'))).toBe(part === 'src')
    expect(existsSync(join(draft.root, part, '.botwright'))).toBe(false)
  },
)

test('a bot in the tests of a plugin is complete without a package.json', async () => {
  await using draft = await BotDraft.make({
    'commands/kick.ts': "export default () => 'out'",
    'test/bot/commands/ping.ts': "export default () => 'pong'",
  })
  const { code, stdout } = await draft.framework(['routes', '--json'], {}, 'test/bot')
  expect({ code, routes: JSON.parse(stdout) as object }).toMatchObject({
    code: 0,
    routes: { routes: [{ name: 'ping' }] },
  })
})

test("no command prints a secret that the bot's code prints", slow, async () => {
  const secret = 'canary-of-the-environment'
  await using draft = await BotDraft.make({
    'commands/ping.ts':
      "throw new Error(`no answer from https://x/?key=${process.env['WEATHER_KEY']}`)\nexport default () => 'pong'",
  })
  const ended = ['info', 'check'].map((name) => draft.framework([name], { WEATHER_KEY: secret }))
  for (const { stdout } of await Promise.all(ended)) {
    expect(stdout).toContain('no answer from https://x/?key=[secret]')
    expect(stdout).not.toContain(secret)
  }
})

test('openapi prints the documents of the packages', async () => {
  await using draft = await BotDraft.make()
  const document = JSON.parse((await draft.framework(['openapi'])).stdout) as { openapi: string; info: object }
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } })
  await draft.framework(['openapi', '--people', '--out', 'people.json'])
  expect(JSON.parse(await readFile(join(draft.root, 'people.json'), 'utf8'))).toHaveProperty('paths')
})

test('a service that cannot start names the option that fixes it, alone and under dev', slow, async () => {
  await using draft = await BotDraft.make(bot)
  await using taken = await startService({ port: 0, world: defaultWorld('bot', 'token-of-another') })
  const { port } = new URL(taken.url)
  const run = (...args: string[]) => draft.framework(args).then(({ code, stderr }) => ({ code, stderr }))
  const isTaken = `port ${port} of 127.0.0.1 is already in use; set --port to another one, or to 0 for any free port\n`
  const ended = [
    run('service', '--port', port),
    run('dev', '--port', port),
    run('service', '--port', '0', '--host', '192.0.2.1'),
    run('service', '--port', '0', '--data', 'no/such/folder/chat.db'),
    run('openapi', '--out', '.'),
    run('service', '--port', '0', '--world', 'no-world.json'),
  ]
  const [service, dev, host, data, out, world] = (await Promise.all(ended)).map((one) => ({
    ...one,
    lines: one.stderr.split('\n'),
  }))
  expect(service!.stderr).toMatch(new RegExp(`^${isTaken}More about ERR_CONFIG: `))
  expect(dev!.stderr).toContain(`the local service did not start: ${isTaken}`)
  expect(host!.lines[0]).toBe(
    '192.0.2.1 is not an address of this machine; set --host to one, such as 127.0.0.1, or to 0.0.0.0 for all',
  )
  expect(data!.lines[0]).toMatch(/no\/such\/folder\/chat\.db: .*; set --data to a file in an existing folder/)
  expect(out!.lines[0]).toBe(`${draft.root}: it is a folder: give the path of a file (open: EISDIR)`)
  expect(world!.lines[0]).toMatch(/no-world\.json: cannot be read as JSON: ENOENT/)
  for (const one of [service, dev, host, data, out, world]) {
    expect(one!.code).toBe(1)
    expect(one!.stderr).not.toMatch(/\n +at /)
  }
})

test('files written by add type-check without changes', slow, async () => {
  await using draft = await BotDraft.make()
  await draft.write({ 'tsconfig.json': await readFile(join(templateFolder, 'tsconfig.json'), 'utf8') })
  for (const args of [
    ['command', '/role add'],
    ['button', 'poll/vote', '--params'],
    ['button', 'later'],
    ['pages', 'scores'],
    ['event', 'member_join'],
    ['event', 'ready'],
    ['event', 'message'],
    ['event', 'interaction'],
    ['task', 'daily'],
    ['route', 'github'],
    ['route', '[team]/deploy.put'],
    ['route', 'status.get'],
    ['state', 'high-score'],
    ['middleware', 'commands/role'],
    ['middleware'],
  ])
    expect(await draft.framework(['add', ...args])).toMatchObject({ code: 0, stderr: '' })
  expect(existsSync(join(draft.root, 'commands/role/middleware.ts'))).toBe(true)
  const { stdout } = await draft.framework(['check', '--json'])
  expect(JSON.parse(stdout)).toEqual({ ok: true, handlers: 15, types_checked: true, problems: [], warnings: [] })
})

test.each([
  [{}, 'middleware.ts'],
  [{ 'src/commands/ping.ts': "export default () => 'pong'" }, 'src/middleware.ts'],
])('add middleware without a name writes the middleware of the whole bot', async (files, file) => {
  await using draft = await BotDraft.make(files)
  const { code, stdout } = await draft.framework(['add', 'middleware'])
  expect([code, stdout]).toEqual([0, `✓ ${file}  runs around every handler of the bot\n`])
  expect(existsSync(join(draft.root, file))).toBe(true)
  const again = await draft.framework(['add', 'middleware'])
  expect([again.code, again.stderr.split('\n')[0]]).toEqual([1, `${file} already exists: nothing was written`])
})

test('the help of add explains that a middleware needs no name, and names its file', async () => {
  await using draft = await BotDraft.make()
  const { stdout } = await draft.framework(['add', '--help'])
  const help = stdout.replaceAll(/\s+/g, ' ')
  expect(help).toContain(
    'Optional for a middleware: without a name, it creates middleware.ts, which wraps every handler of the bot; with a folder such as commands/admin, it creates commands/admin/middleware.ts',
  )
  expect(help).toContain('framework add middleware framework add middleware commands/admin')
})

test.each([
  [['command', 'roleAdd'], 1, "commands/roleAdd.ts: a command's name is .*; rename it to role-add.ts"],
  [['event', 'member_jion'], 1, 'there is no event "member_jion"; rename it to member_join.ts'],
  [['command', 'aux'], 1, 'commands/aux.ts: Windows reserves the name aux for a device; choose another'],
  [['task', '日本 語'], 1, '"日本 語": a name cannot contain spaces\n'],
  [['task', 'Due Soon'], 1, '"Due Soon": a name cannot contain spaces: framework add task due-soon'],
  [['command', 'ping'], 1, 'commands/ping.ts already exists: nothing was written'],
  [['command', '../../ping'], 1, 'files whose name begins with "_" or "." are ignored'],
  [['middleware', 'lib'], 1, "a middleware belongs in the bot's folder or below commands/"],
  [
    ['comand', 'x'],
    2,
    'error: cannot add "comand"; did you mean command? The kinds are command, button, pages, event, task, route, state, resource, middleware, plugin: framework add command role/add',
  ],
  [
    ['cat', 'x'],
    2,
    'The kinds are command, button, pages, event, task, route, state, resource, middleware, plugin: framework add command role/add',
  ],
  [['locale', 'de'], 2, 'Write texts into locales/en.json (@botwright/languages)'],
  [['button'], 2, 'pass a name for the button: framework add button poll/vote'],
  [['plugin'], 2, 'pass a name for the plugin: framework add plugin @botwright/plugins polls'],
  [['plugin', 'a', 'b', 'c'], 2, 'pass one plugin: framework add plugin @botwright/plugins polls'],
  [['plugin', 'a', '--options', '[]'], 2, 'must be an object as JSON of at most 4000 characters'],
  [['command', 'x', '--dry'], 2, '--dry works only with plugins, not with command'],
  [['event', 'ready', '--params'], 2, '--params works only with buttons'],
])('add %j ends with %i and writes nothing', async (args, code, text) => {
  await using draft = await BotDraft.make(bot)
  const ended = await draft.framework(['add', ...args])
  expect(ended).toMatchObject({ code, stdout: '' })
  expect(ended.stderr).toMatch(new RegExp(text.replaceAll(/[()?/]/g, '\\$&')))
})

test('the page about the command line describes every command as the help does', async () => {
  const page = await readFile(new URL('../../../docs/command-line.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([\w-]+)` *\| (.*?) *\|$/gm)].map(([, name, description]) => [name, description])
  expect(rows).toEqual(withOwn(commands).commands.map(({ name, description }) => [name, description]))
})

test('a text that begins with a dash gets a hint, and is an argument after --', async () => {
  await using draft = await BotDraft.make(bot)
  for (const text of ['- text', '-text', '--- text']) {
    const { code, stderr } = await draft.framework(['say', 'ann', text])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('write -- before a text that begins with a dash'),
    })
  }
  const { stderr } = await draft.framework(['say', '--service', 'http://127.0.0.1:1', 'ann', '--', '- text'])
  expect(stderr).not.toContain('unknown option')
})

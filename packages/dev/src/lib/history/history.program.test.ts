import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RecordedEvent } from '@botwright/framework/replay'
import { openDatabase } from '@botwright/sqlite'
import { defaultWorld, type Service, startService } from '@botwright/service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, run, start, untilPrinted } from '../program.test.fixture.ts'
import { type Person, startPerson } from '../test-person.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/commands' } as const

// A bot that was recorded on a real local service; its author changes the code and checks the effect.

const checkout = fileURLToPath(new URL('../../../../..', import.meta.url))
const token = 'token-of-the-recorded-bot'
let root: string
let service: Service
let ann: Person

const save = async (file: string, text: string) => {
  await mkdir(dirname(join(root, file)), { recursive: true })
  await writeFile(join(root, file), text)
}
const command = (name: string, run: string) => save(`commands/${name}.ts`, `export default ${run}\n`)

const inFolder = () => ({ cwd: root, env: { NO_COLOR: '1', BOT_TOKEN: token, BOT_BASE_URL: service.base_url } })

/** Runs the program with these arguments. */
async function framework(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { code, stdout, stderr } = await run(args, inFolder())
  return { code, out: stdout.trimEnd(), err: stderr }
}

/** Runs the bot during `work`. */
async function whileRunning(work: () => Promise<unknown>): Promise<void> {
  expect(await framework('build')).toMatchObject({ code: 0 })
  const bot = await start(['start'], inFolder())
  await untilPrinted(bot, 'is ready')
  try {
    await work()
  } finally {
    bot.signal('SIGTERM')
    expect(await bot.ended).toBe(0)
  }
}
const replay = (...args: string[]) => framework('replay', '--since', '1h', '--dry', ...args)

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'botwright-history-'))
  await mkdir(join(root, 'node_modules'))
  await symlink(join(checkout, 'node_modules/@botwright'), join(root, 'node_modules/@botwright'))
  await save('package.json', '{"type":"module"}')
  await save('bot.config.ts', 'export default { record: true }')
  service = await startService({ port: 0, world: defaultWorld('helper', token) })
  ann = await startPerson(service.url, 'ann')
  await command('ping', "() => 'pong'")
  await command('twice', "async (ctx) => { await ctx.reply('one'); await ctx.update('two') }")
  await command(
    'where',
    'async (ctx) => `in ${(await ctx.api.channels.get({ channel_id: ctx.channel_id })).channel.name}`',
  )
  await whileRunning(async () => {
    expect(await ann.answerTo('/ping')).toBe('pong')
    await ann.answerTo('/twice')
    await eventually(async () => expect(await ann.sees()).toContain('two'))
    await ann.answerTo('/where')
  })
})

afterAll(async () => {
  await service.close()
  await rm(root, { recursive: true, force: true })
})

test('unchanged code answers the same', async () => {
  const { code, out } = await replay('--check')
  expect(out).toMatch(/\/ping +ann → #general +commands\/ping\.ts += same/)
  expect(out).toMatch(/3 events: 3 same$/)
  expect(code).toBe(0)
})

test('shows recorded and current answers next to each other, with new errors, and sends nothing', inAll, async () => {
  await command('ping', "() => 'pang'")
  await command('twice', "() => { throw new Error('not today') }")
  const before = await ann.sees()
  const { code, out } = await replay('--check')
  expect(out).toMatch(/≠ different\n +was answered +│ would be answered\n +reply “pong” +│ reply “pang”/)
  expect(out).toMatch(
    /✘ new error\n.*\n +reply “one” +│ error: not today \(commands\/twice\.ts:1\)\n +edit “two” +│ reply “Something went/,
  )
  expect(out).toMatch(/3 events: 1 same, 1 different, 1 new error$/)
  expect(code).toBe(1)
  expect(await ann.sees()).toEqual(before)
  expect((await readdir(join(root, '.botwright'))).filter((name) => name.startsWith('replay-'))).toEqual([])
})

test('prints events as one line of JSON each, and a replay as one document', inAll, async () => {
  const { code, out } = await replay('--json', '--type', 'message')
  const lines = out.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(code).toBe(0)
  expect(lines).toHaveLength(4)
  const was = { file: 'commands/ping.ts', result: 'ok' }
  expect(lines[0]).toMatchObject({ verdict: 'different', was, now: { result: 'ok' } })
  expect(lines[3]).toEqual({ summary: { events: 3, same: 1, different: 1, error: 1 } })
})

test('code that does not load is shown with its location', async () => {
  await save('commands/ping.ts', 'export default (')
  expect(await replay()).toMatchObject({ code: 1, err: expect.stringMatching(/commands\/ping\.ts:1:17/) as unknown })
  await command('ping', "() => 'pang'")
})

test('Ctrl-C ends a replay whose configuration never finishes loading', async () => {
  const marker = join(root, 'loading')
  await save(
    'bot.config.ts',
    `import { writeFileSync } from 'node:fs'
writeFileSync(${JSON.stringify(marker)}, '')
await new Promise(() => {})
export default { record: true }`,
  )
  const running = await start(['replay', '--since', '1h', '--dry'], inFolder())
  await expect.poll(() => existsSync(marker)).toBe(true)
  expect(running.signal('SIGINT')).toBe(true)
  expect(await running.ended).toBe(130)
  expect((await readdir(join(root, '.botwright'))).filter((name) => name.startsWith('replay-'))).toEqual([])
  await save('bot.config.ts', 'export default { record: true }')
})

test('without --dry the bot answers again, if no other process runs it', { tags: 'all/real-time' }, async () => {
  const again = ['replay', '--since', '1h', '--file', 'commands/ping.ts']
  await whileRunning(async () => {
    expect(await framework(...again)).toMatchObject({ code: 1, err: expect.stringContaining('running') as unknown })
  })
  const { out } = await framework(...again)
  expect(out).toMatch(/was answered now\n +reply “pong” +│ reply “pang”/)
  expect((await ann.sees()).filter((content) => content === 'pang')).toHaveLength(1)
})

test(
  'a handler that waits a second or longer answers the same, and one that never ends is reported with its real limit',
  { tags: 'all/real-time' },
  async () => {
    const slow = createServer((_request, response) => void setTimeout(() => response.end('fetched'), 1500))
    await new Promise<void>((resolve) => void slow.listen(0, '127.0.0.1', resolve))
    const { port } = slow.address() as AddressInfo
    await command('slow', `async () => (await fetch('http://127.0.0.1:${port}')).text()`)
    await command('hangs', 'async () => { await new Promise(() => {}) }')
    await save('bot.config.ts', 'export default { record: true, limits: { handlerSeconds: 3 } }')
    try {
      await whileRunning(async () => {
        expect(await ann.answerTo('/slow')).toBe('fetched')
        await ann.answerTo('/hangs')
      })
      const { out, code } = await replay('--check', '--file', 'commands/slow.ts')
      expect(out).toMatch(/1 event: 1 same$/)
      expect(code).toBe(0)
      const hung = await replay('--json', '--file', 'commands/hangs.ts')
      const [was] = hung.out.split('\n').map((line) => JSON.parse(line) as object)
      const outcome = { result: 'timed_out', file: 'commands/hangs.ts', error: 'did not end within 3 s' }
      expect(was).toMatchObject({ verdict: 'same', was: outcome, now: outcome })
    } finally {
      slow.closeAllConnections()
      slow.close()
      await save('bot.config.ts', 'export default { record: true }')
    }
  },
)

test('framework dev has a separate history, which --from selects; an id selects the newest event', inAll, async () => {
  const state = join(root, '.botwright')
  const dev = join(state, 'history.dev.db')
  await copyFile(join(state, 'history.db'), dev)
  // A new local service: the same id again, in another world.
  const db = openDatabase(dev)
  const [part] = db.prepare<{ id: number; lines: string }>('SELECT id, lines FROM part ORDER BY id LIMIT 1').all()
  const [line] = part!.lines.split('\n')
  const worlds = [1, 2].map((seq) => {
    const event = { id: 1, type: 'message', created_at: `world ${seq}`, data: { content: `world ${seq}` } }
    return JSON.stringify({ ...(JSON.parse(line!) as object), seq, event })
  })
  db.prepare('DELETE FROM part WHERE id <> ?').run(part!.id)
  db.prepare('UPDATE part SET first_seq = 1, last_seq = 2, first_id = 1, last_id = 1, lines = ?').run(worlds.join('\n'))
  db.close()
  const list = async (...args: string[]) => {
    const { out, err } = await framework('events', 'list', '--json', ...args)
    return { contents: out.split('\n').map((line) => (JSON.parse(line) as RecordedEvent).data?.['content']), err }
  }
  expect((await list('--from', 'dev')).contents).toEqual(['world 1', 'world 2'])
  expect((await list('--from', 'start')).contents).toContain('/where')
  const newest = await list()
  expect(newest.contents).toEqual(['world 1', 'world 2'])
  expect(newest.err).toContain('showing the history of "framework dev"; pass --from start')
  const one = await framework('replay', '--dry', '--json', '--from', 'dev', '--event', '#1')
  expect(one.out.split('\n')).toHaveLength(2)
  expect(JSON.parse(one.out.split('\n')[0]!)).toMatchObject({ data: { content: 'world 2' } })
  expect(one.err).toContain('2 events have the id 1; this is the newest')
  const wrong = await framework('events', 'list', '--from', 'production')
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('must be dev or start') as unknown })
  await rm(dev)
})

test('events list shows a line for each event', async () => {
  const { out } = await framework('events', 'list')
  expect((await framework('events')).out, '"list" is the default').toBe(out)
  const [ping, twice, where] = out.split('\n')
  expect(ping).toMatch(
    /^\d\d:\d\d:\d\d {2}#\d+ +\/ping +ann → #general +commands\/ping\.ts +[\d.]+ m?s {2}✓ {2}reply “pong”$/,
  )
  expect(twice).toMatch(/reply “one” · edit “two”$/)
  expect(where).toMatch(/reply “in general”$/)
  const none = await framework('events', 'list', '--file', 'commands/none.ts')
  expect(none.out).toBe('no recorded event matches')
})

test('events tail follows new events until it is stopped', inAll, async () => {
  const tail = await start(['events', 'tail', '-n', '1', '--json', '--file', 'commands/where.ts'], inFolder())
  await expect.poll(tail.output).toContain('\n')
  await whileRunning(async () => {
    expect(await ann.answerTo('/where now')).toBe('in general')
    await expect.poll(() => tail.output().trim().split('\n')).toHaveLength(2)
  })
  tail.signal('SIGINT')
  expect(await tail.ended).toBe(0)
  const calls = [{ name: 'channels.get' }, { name: 'messages.create' }]
  const event = { type: 'message', result: 'ok', data: { content: '/where now' }, calls }
  expect(JSON.parse(tail.output().split('\n')[1]!)).toMatchObject(event)
})

test('events tail ends when the reader of its output is gone', async () => {
  const tail = await start(['events', 'tail', '-n', '1'], inFolder())
  await expect.poll(tail.output).toContain('\n')
  tail.loseReader()
  expect(await tail.ended).toBe(0)
})

test(
  'the code runs with its variables and its plugins, and a missing variable is reported',
  { tags: ['all/processes'] },
  async () => {
    await symlink(join(checkout, 'node_modules/zod'), join(root, 'node_modules/zod'))
    const configured = (variable: string) =>
      save(
        'bot.config.ts',
        `import { z } from 'zod'
import greeter from './greeter/plugin.ts'
export default { record: true, env: z.object({ ${variable}: z.string() }), plugins: { greeter: greeter({ word: 'hi' }) } }`,
      )
    await save(
      'greeter/plugin.ts',
      `import { plugin } from '@botwright/framework'
import { z } from 'zod'
export default plugin({ url: import.meta.url, options: z.object({ word: z.string() }) })`,
    )
    await save('greeter/events/message.ts', 'export default (ctx) => ctx.options.word\n')
    await rm(join(root, 'commands/ping.ts'))
    await command('where', '(ctx) => `on ${ctx.env.BOT_BASE_URL}`')
    await configured('BOT_BASE_URL')
    const { out } = await replay('--file', 'commands/ping.ts')
    expect(out).toMatch(/by commands\/ping\.ts +│ by greeter\/events\/message\.ts\n +reply “pong” +│ reply “hi”/)
    expect((await replay('--file', 'commands/where.ts')).out).toMatch(/│ reply “on http:/)
    await configured('NOT_SET')
    expect(await replay()).toMatchObject({
      err: expect.stringContaining('NOT_SET is not set: add NOT_SET=') as unknown,
    })
  },
)

test('invalid input is reported with a correction', async () => {
  const [when, mixed, nowhere] = await Promise.all([
    framework('replay', '--since', 'yesterday'),
    framework('replay', '12', '--dry'),
    framework('events', 'list', '--state', 'elsewhere'),
  ])
  expect(when).toMatchObject({
    code: 2,
    err: expect.stringContaining('must be a duration (10s, 1m 30s, 2h') as unknown,
  })
  expect(mixed).toMatchObject({ code: 2, err: expect.stringContaining('--event <id>') as unknown })
  expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining('nothing has been recorded yet') as unknown })
})

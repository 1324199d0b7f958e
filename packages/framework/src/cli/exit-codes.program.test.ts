import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorPage } from '@botwright/protocol/facts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ChatRig, token } from '../tests/chat-rig.test.fixture.ts'
import { exitCodes } from '../program/exit-codes.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/commands' } as const

// The exit codes of `framework start`, built and in its own process, as a process manager sees them.

const checkout = fileURLToPath(new URL('../../../..', import.meta.url))
let rig: ChatRig
const children: ChildProcess[] = []

beforeAll(async () => {
  rig = await ChatRig.start()
  mkdirSync(join(rig.root, 'node_modules'))
  symlinkSync(join(checkout, 'node_modules/@botwright'), join(rig.root, 'node_modules/@botwright'))
  symlinkSync(join(checkout, 'node_modules/zod'), join(rig.root, 'node_modules/zod'))
  writeFileSync(join(rig.root, 'package.json'), '{"type":"module"}')
  mkdirSync(join(rig.root, 'dist'))
  const entries = ['slow', 'slower', 'hangs', 'talks'].map((name) => ({
    kind: 'command',
    name,
    file: `commands/${name}.ts`,
  }))
  const modules = Object.fromEntries(entries.map(({ name, file }) => [file, `${name}.mjs`]))
  const untilReleased = (begun: string, file: string) => `import { existsSync } from 'node:fs'
export default async (ctx) => {
  await ctx.reply(${begun})
  while (!existsSync(${JSON.stringify(join(rig.root, file))})) await new Promise((r) => setTimeout(r, 20))
  return 'ended'
}`
  writeFileSync(join(rig.root, 'dist/slow.mjs'), untilReleased("'begun at ' + Date.now()", 'replaced'))
  writeFileSync(join(rig.root, 'dist/slower.mjs'), untilReleased("'begun'", 'released'))
  writeFileSync(
    join(rig.root, 'dist/hangs.mjs'),
    // The next process runs it again, before other messages of its channel.
    `export default async (ctx) => {
  if (ctx.redelivered) return 'hung before'
  await ctx.reply('begun')
  await new Promise((r) => setTimeout(r, 60_000))
}`,
  )
  writeFileSync(
    join(rig.root, 'dist/talks.mjs'),
    "export default () => (console.log('a line'), console.error('another'), 'talked')",
  )
  const definitions = entries.map((entry) => ({ ...entry, description: entry.name }))
  writeFileSync(
    join(rig.root, 'dist/botwright.json'),
    JSON.stringify({ version: 1, entries, definitions, modules, config: null }),
  )
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rig[Symbol.asyncDispose]()
})

const program = join(checkout, 'packages/framework/bin/framework.cjs')

interface Started {
  child: ChildProcess
  ended: Promise<number | null>
  output: () => string
}

function start(env: Record<string, string> = {}, folder = 'dist'): Started {
  const child = spawn(process.execPath, [program, 'start', folder, '--workers', '2'], {
    cwd: rig.root,
    env: { ...process.env, BOT_TOKEN: token, BOT_BASE_URL: rig.service.base_url, ...env },
  })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
  return { child, output: () => output, ended: new Promise((resolve) => child.once('close', resolve)) }
}
const ready = async (env?: Record<string, string>): Promise<Started> => {
  const started = start(env)
  await expect.poll(() => started.output(), { interval: 20 }).toContain('is ready')
  return started
}
const begun = (count: number) =>
  rig.until(async () => (await rig.texts()).filter((t) => t.startsWith('begun')).length >= count)

test('a second process exits with 75, and SIGTERM ends the first with 0', inAll, async () => {
  const first = await ready()
  const second = start()
  expect(await second.ended).toBe(exitCodes.alreadyRunning)
  expect(second.output()).toContain(`as process ${first.child.pid}`)
  first.child.kill('SIGTERM')
  expect(await first.ended).toBe(exitCodes.stopped)
  expect(first.output()).toContain(
    '"msg":"SIGTERM: stopping; running handlers have 10 s to finish, and a second signal',
  )
})

test('goes on when the reader of its output is gone, and SIGTERM still ends it with 0', async () => {
  const { child, ended } = await ready()
  child.stdout!.destroy()
  child.stderr!.destroy()
  for (const count of [1, 2, 3]) {
    await rig.says('ann', '/talks')
    await rig.until(async () => (await rig.texts()).filter((text) => text === 'talked').length === count)
  }
  child.kill('SIGTERM')
  expect(await ended).toBe(exitCodes.stopped)
})

test(
  'with a health port, an overlapping start exits with 75 and names the process that is still draining; the next one starts',
  { tags: ['all/processes'] },
  async () => {
    const first = await ready({ BOT_HEALTH_PORT: '0' })
    const port = /health endpoint listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(first.output())![1]!
    await rig.says('ann', '/slower')
    await begun(1)
    first.child.kill('SIGTERM')
    const second = start({ BOT_HEALTH_PORT: port })
    expect(await second.ended).toBe(exitCodes.alreadyRunning)
    expect(second.output()).toContain(`as process ${first.child.pid}`)
    writeFileSync(join(rig.root, 'released'), '')
    expect(await first.ended).toBe(exitCodes.stopped)
    const third = await ready({ BOT_HEALTH_PORT: port })
    third.child.kill('SIGTERM')
    expect(await third.ended).toBe(exitCodes.stopped)
  },
)

test('exits with 75 if another program uses its port, because that program may end', inAll, async () => {
  await using holder = createServer()
  await new Promise<void>((resolve) => void holder.listen(0, '127.0.0.1', resolve))
  const { port } = holder.address() as AddressInfo
  const { ended, output } = start({ BOT_HEALTH_PORT: String(port) })
  expect(await ended).toBe(exitCodes.alreadyRunning)
  expect(output()).toContain(`health: port ${port} of 127.0.0.1 is in use by another program`)
})

test('logs once what to do if the bot is not in any server', inAll, async () => {
  const notices = ({ output }: Started) =>
    output()
      .split('\n')
      .filter((line) => line.includes('is not in any server'))
  await rig.fault('GET', '/v1/servers', { then: { status: 200, body: { servers: [] } } })
  const asked = async () => (await rig.calls('GET', /\/servers$/)).length
  const lonely = await ready()
  await rig.until(() => notices(lonely).length > 0)
  expect(notices(lonely)).toEqual([
    expect.stringMatching(/"level":"info".*helper is not in any server.*can add it to a server/),
  ])
  lonely.child.kill('SIGTERM')
  expect(await lonely.ended).toBe(exitCodes.stopped)
  const before = await asked()
  const member = await ready()
  await rig.until(async () => (await asked()) === before + 1)
  member.child.kill('SIGTERM')
  expect(await member.ended).toBe(exitCodes.stopped)
  expect(notices(member)).toEqual([])
})

test('reports a missing token and an invalid declared variable together', inAll, async () => {
  const built = join(rig.root, 'declares')
  mkdirSync(built)
  writeFileSync(
    join(built, 'bot.config.mjs'),
    "import { z } from 'zod'\nexport default { env: z.object({ WEATHER_KEY: z.string() }) }",
  )
  writeFileSync(
    join(built, 'botwright.json'),
    JSON.stringify({ version: 1, entries: [], definitions: [], modules: {}, config: 'bot.config.mjs' }),
  )
  const { ended, output } = start({ BOT_TOKEN: '' }, 'declares')
  expect(await ended).toBe(78)
  expect(output()).toMatch(/^BOT_TOKEN is not set: .*\nWEATHER_KEY is not set: .*\nMore about ERR_CONFIG: /)
})

test("removes secrets from the bot's own output, including that of its threads", inAll, async () => {
  const built = join(rig.root, 'prints')
  mkdirSync(built)
  const variables = {
    DATABASE_URL: 'postgres://bot:pass-of-the-db@db/bot',
    CITY: 'Lower Wobbleton',
    MOTTO: 'Hello there',
  }
  writeFileSync(
    join(built, 'bot.config.mjs'),
    "import { z } from 'zod'\nexport default { env: z.object({ CITY: z.string(), MOTTO: z.string().meta({ public: true }) }) }",
  )
  writeFileSync(
    join(built, 'ready.mjs'),
    "export default () => { console.log('printed', process.env); console.error(encodeURIComponent(process.env.CITY), JSON.stringify({ city: process.env.CITY })); setTimeout(() => console.log('all printed'), 50) }",
  )
  const entry = { kind: 'event', name: 'ready', file: 'events/ready.ts' }
  writeFileSync(
    join(built, 'botwright.json'),
    JSON.stringify({
      ...{ version: 1, entries: [entry], definitions: [entry] },
      ...{ modules: { [entry.file]: 'ready.mjs' }, config: 'bot.config.mjs' },
    }),
  )
  const { child, ended, output } = start(variables, 'prints')
  await expect.poll(() => output(), { interval: 20 }).toContain('all printed')
  child.kill('SIGTERM')
  expect(await ended).toBe(exitCodes.stopped)
  expect(output()).toContain("MOTTO: 'Hello there'")
  expect(output()).toContain('postgres://bot:[secret]@db/bot')
  for (const secret of [token, 'pass-of-the-db', 'Lower Wobbleton', 'Lower%20Wobbleton'])
    expect(output()).not.toContain(secret)
})

test(
  'exits with 1 if a resource does not open, and names its file without the secret in the error',
  inAll,
  async () => {
    const built = join(rig.root, 'opens')
    mkdirSync(built)
    writeFileSync(
      join(built, 'db.mjs'),
      `import { resource } from '@botwright/framework'
export default resource({ open: async () => { throw new Error('cannot reach ' + process.env.DATABASE_URL) } })`,
    )
    const entry = { kind: 'resource', name: 'db', file: 'resources/db.ts' }
    writeFileSync(
      join(built, 'botwright.json'),
      JSON.stringify({
        ...{ version: 1, entries: [entry], definitions: [entry] },
        ...{ modules: { [entry.file]: 'db.mjs' }, config: null },
      }),
    )
    const { ended, output } = start({ DATABASE_URL: 'postgres://bot:pass-of-the-db@db/bot' }, 'opens')
    expect(await ended).toBe(exitCodes.failed)
    expect(output()).toMatch(/^opens\/db\.mjs:2: open failed: cannot reach postgres:\/\/bot:\[secret\]@db\/bot$/m)
    expect(output()).not.toContain('pass-of-the-db')
  },
)

test('exits with 78 for an invalid configuration, and with 77 for an invalid token', inAll, async () => {
  const wrong = [start({ BOT_BASE_URL: 'nowhere' }), start({ BOT_HEALTH_PORT: 'x' }), start({ LOG_LEVEL: 'loud' })]
  expect(await Promise.all(wrong.map(({ ended }) => ended))).toEqual(wrong.map(() => exitCodes.config))
  expect(wrong[1]!.output()).toBe(
    `BOT_HEALTH_PORT is not a port: set it to a number from 0 to 65535\nMore about ERR_CONFIG: ${errorPage('ERR_CONFIG')}\n`,
  )
  expect(await start({ BOT_TOKEN: 'not-the-token' }).ended).toBe(exitCodes.unauthorized)
})

test('a signal ends it while its configuration waits for something that does not come', inAll, async () => {
  const built = join(rig.root, 'waits')
  mkdirSync(built)
  writeFileSync(
    join(built, 'bot.config.mjs'),
    "process.stderr.write('loading')\nawait new Promise(() => {})\nexport default {}",
  )
  const manifest = { version: 1, entries: [], definitions: [], modules: {}, config: 'bot.config.mjs' }
  writeFileSync(join(built, 'botwright.json'), JSON.stringify(manifest))
  const { child, ended, output } = start({}, 'waits')
  await expect.poll(output).toContain('loading')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 30_000)
  expect(await ended).toBe(exitCodes.stopped)
  clearTimeout(late)
})

test('a second signal ends it at once, with the exit code of that signal', inAll, async () => {
  const { child, ended, output } = await ready()
  await rig.says('ann', '/hangs')
  await begun(1)
  child.kill('SIGTERM')
  await expect.poll(output).toContain('SIGTERM: stopping')
  // Sooner, it counts as forwarded by npm.
  await new Promise((resolve) => setTimeout(resolve, 600))
  child.kill('SIGTERM')
  expect(await ended).toBe(143)
})

test(
  'exits with 77 after its token was replaced and running handlers have ended; their unanswered events run again',
  { tags: ['all/processes'] },
  async () => {
    const { ended, output } = await ready()
    const slowOnes = async () => (await rig.texts()).filter((text) => text.startsWith('begun at')).length
    const earlier = await slowOnes()
    await rig.says('ann', '/slow')
    await rig.until(async () => (await slowOnes()) > earlier)
    const { id } = (await rig.person('ann').bots.list()).bots[0]!
    const made = await rig.person('ann').bots.newToken({ bot_id: id })
    writeFileSync(join(rig.root, 'replaced'), '')
    expect(await ended).toBe(exitCodes.unauthorized)
    expect(output()).toContain('stopped: the token is no longer valid')
    expect(output()).not.toContain('did not finish')
    const [, event] =
      /is set aside: the service refused the bot token .* framework replay (\d+) runs it again/.exec(output()) ?? []
    expect(event).toBeDefined()
    const before = (await rig.texts()).filter((text) => text === 'ended').length
    const { child, ended: stopped } = await ready({ BOT_TOKEN: made.token })
    const asked = spawn(process.execPath, [program, 'replay', event!], { cwd: rig.root, stdio: 'ignore' })
    expect(await new Promise((resolve) => asked.once('exit', resolve))).toBe(0)
    await rig.until(async () => (await rig.texts()).filter((text) => text === 'ended').length > before)
    child.kill('SIGTERM')
    expect(await stopped).toBe(exitCodes.stopped)
  },
)

test('docs/production.md documents every exit code', () => {
  const page = readFileSync(join(checkout, 'packages/framework/docs/production.md'), 'utf8')
  const documented = [...page.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code))
  expect(documented.filter((code) => code < 100)).toEqual(
    [...new Set([...Object.values(exitCodes), 2])].sort((a, b) => a - b),
  )
})

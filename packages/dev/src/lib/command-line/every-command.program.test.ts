import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { ownCommands } from '@botwright/framework/start'
import { defaultWorld, type Service, startService } from '@botwright/service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { plainEnv, program } from '../program.test.fixture.ts'
import { commands } from './table.ts'

// Each command once as a process, as users start it. All other tests run commands in their own process.

const token = 'token-of-every-command'
const framework = JSON.stringify(new URL('../../../../framework/dist/index.js', import.meta.url).href)
const files = {
  'commands/ping.ts': `import again from '../buttons/again.ts'
    export default () => ({ content: 'pong', components: [{ type: 'row', components: [again.button({ label: 'Again' })] }] })`,
  'buttons/again.ts': `import { button } from ${framework}
    export default button({ run: (ctx) => ctx.update('pong again') })`,
}

let draft: BotDraft
let service: Service
const started: ChildProcess[] = []
/** The commands that were started. */
const names = new Set<string>()

beforeAll(async () => {
  draft = await BotDraft.make(files)
  service = await startService({ port: 0, world: defaultWorld('helper', token) })
})
afterAll(async () => {
  for (const child of started) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  await service.close()
  await draft[Symbol.asyncDispose]()
})

function start(args: readonly string[], env: Record<string, string> = {}) {
  names.add(args[0]!)
  const child = spawn(process.execPath, [program, ...args], { cwd: draft.root, env: { ...plainEnv(), ...env } })
  started.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part.toString()))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, ended, output: () => output }
}

/** Runs a command to its end. */
async function run(args: readonly string[], input = ''): Promise<{ code: number | null; output: string }> {
  const { child, ended, output } = start(args)
  child.stdin.end(input)
  return { code: await ended, output: output() }
}

/** Starts a command that runs until SIGTERM, and returns a function that ends it. */
async function runUntil(text: string | RegExp, args: readonly string[], env?: Record<string, string>) {
  const { child, ended, output } = start(args, env)
  await expect.poll(output, { message: `the output of framework ${args.join(' ')}` }).toMatch(text)
  return async () => {
    child.kill('SIGTERM')
    expect(await ended, output()).toBe(0)
  }
}

const hello = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a test', version: '1.0.0' } },
})

/** Several commands run at the same time, so the bot may be slow. */
const patient = ['--wait', '1m']

test('every command runs as a process', { tags: 'all/processes' }, async () => {
  const stopDev = await runUntil(/Chat +http/, ['dev', '--port', '0'])
  expect(await run(['say', 'ann', '/ping', ...patient])).toEqual({
    code: 0,
    output: expect.stringContaining('reply “pong”') as string,
  })
  const withDev: [words: string[], text: string | RegExp, code?: number, input?: string][] = [
    [['click', 'ann', 'Again', ...patient], 'pong again'],
    [['dm', 'ann', '/ping', ...patient], 'reply “pong”'],
    [['react', 'ann', '👍', ...patient], 'the bot did nothing', 3],
    [['join', 'zoe', ...patient], 'the bot did nothing', 3],
    [['role', 'bob', 'mods'], 'bob has the new role mods'],
    [['chat'], 'ann is in #general', 0, ':quit\n'],
    [['clock', '+1m'], 'are now'],
    [['fault', 'clear'], 'all faults are cleared'],
    [['save-test', 'test/saved.test.ts', '--no-run'], 'wrote test/saved.test.ts'],
    [['mcp'], '"name":"botwright"', 0, `${hello}\n`],
    [['events', 'list'], '/ping'],
    [['explain', 'last'], 'event '],
    [['replay', '--since', '1h', '--dry', '--file', 'commands/ping.ts'], 'same'],
    [['state', 'list'], 'no value is stored'],
    [['requests'], 'no request is set aside'],
    [['off', '/pong'], 'did you mean /ping?', 1],
    [['on', '/ping'], '/ping is not off', 1],
    [['commands', 'diff'], 'has the 2 commands of the files'],
  ]
  const alone: typeof withDev = [
    [['add', 'event', 'ready'], '✓ events/ready.ts'],
    [['check'], 'no problems'],
    [['simulate', '--seeds', '2'], 'no fault, 2 plays'],
    [['types'], '.framework/types.d.ts'],
    [['routes'], '/ping'],
    [['docs'], 'framework/commands'],
    [['info'], '@botwright/framework'],
    [['doctor'], '✓ Node'],
    [['openapi'], '"openapi": "3.1.0"'],
    [['runs', 'list'], 'no run is stored'],
    [['cluster', 'status'], 'BOT_TOKEN is not set', 78],
    [['build'], 'handlers in dist/'],
  ]
  const waiting = [...withDev, ...alone]
  expect(waiting.length).toBeGreaterThan(20)
  const runOneByOne = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [words, text, code = 0, input] = next
      expect({ words, ...(await run(words, input)) }).toEqual({
        ...{ words, code },
        output: expect.stringMatching(text) as string,
      })
    }
  }
  // Two processes for each processor: all at once would take minutes on a busy machine.
  await Promise.all(Array.from({ length: 2 * availableParallelism() }, runOneByOne))
  expect(await run(['reset'])).toMatchObject({ code: 0 })
  await stopDev()
  const env = { BOT_TOKEN: token, BOT_BASE_URL: service.base_url }
  for (const end of await Promise.all([
    runUntil('is ready', ['start'], env),
    runUntil('"ready"', ['service', '--port', '0']),
  ]))
    await end()
  const known = [...commands, ...ownCommands].map(({ name }) => name)
  expect([...names].sort()).toEqual([...new Set(known)].sort())
})

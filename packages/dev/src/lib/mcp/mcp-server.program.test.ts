import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client, type VersionNegotiationMode } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDev, stop } from '../dev-process.test.fixture.ts'
import { built, plainEnv, program, type Running, untilPrinted } from '../program.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const framework = JSON.stringify(new URL('../../../../framework/dist/index.js', import.meta.url).href)
const files = {
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      module: 'nodenext',
      allowImportingTsExtensions: true,
      noEmit: true,
      strict: false,
      skipLibCheck: true,
    },
    include: ['**/*.ts', '.framework/types.d.ts'],
  }),
  'commands/ping.ts': `import again from '../buttons/again.ts'
    console.log('{} printed while it loads')
    export default () => ({ content: 'pong', components: [{ type: 'row', components: [again.button({ label: 'Again' })] }] })`,
  'commands/boom.ts': "export default () => { throw new Error('it broke') }",
  'buttons/again.ts': `import { button } from ${framework}
    export default button({ run: (ctx) => ctx.update('pong again') })`,
}

/** Starts the server, and connects a client to it. */
async function connect(args: readonly string[], cwd: string, mode: VersionNegotiationMode = 'legacy') {
  const { captureIo, runProgram } = await built()
  const [input, output] = [new PassThrough(), new PassThrough()]
  const io = captureIo({ cwd, env: plainEnv(), stdin: input })
  const ended = runProgram(['mcp', ...args], { ...io, stdout: output })
  const client = new Client({ name: 'a test', version: '1.0.0' }, { versionNegotiation: { mode } })
  // The client reads the output of the server, and writes its input.
  await client.connect(new StdioServerTransport(output, input))
  const close = async () => {
    await client.close()
    input.end()
    expect(await ended).toBe(0)
  }
  return { client, close }
}

let draft: BotDraft
let dev: Running
let client: Client
let close: () => Promise<void>
beforeAll(async () => {
  draft = await BotDraft.make(files)
  dev = await startDev(draft)
  await untilPrinted(dev, 'Chat')
  ;({ client, close } = await connect([], draft.root))
})
afterAll(async () => {
  await close()
  await stop(dev)
  await draft[Symbol.asyncDispose]()
})

async function call(name: string, input: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: input })
  const [first] = result.content as { text: string }[]
  return { isError: result.isError === true, document: result.structuredContent, text: first!.text }
}

test('offers the verbs with JSON Schema inputs', async () => {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(
    'say click react dm join role clock fault reset events explain check simulate routes switch docs_search save_test'.split(
      ' ',
    ),
  )
  const say = tools[0]!
  expect(say.inputSchema).toMatchObject({
    type: 'object',
    properties: { person: { type: 'string' }, channel: { type: 'string', default: 'general' } },
    required: ['person', 'text'],
  })
})

test('the verbs return the document that --json prints', async () => {
  const { document, text } = await call('say', { person: 'ann', text: '/ping' })
  expect(JSON.parse(text)).toEqual(document)
  const { stdout } = await draft.framework(['say', 'ann', '/ping', '--json'])
  const own = JSON.parse(stdout) as Record<string, unknown>
  const shape = ({ outcome, did, event, answers }: Record<string, unknown>) => ({
    ...{ outcome, did: Object.keys(did as object), event: Object.keys(event as object) },
    answers: (answers as { call: string }[]).map((one) => one.call),
  })
  expect(shape(document as Record<string, unknown>)).toEqual(shape(own))
  expect((await call('click', { person: 'bob', label: 'Again' })).document).toMatchObject({
    outcome: 'answered',
    event: { file: 'buttons/again.ts' },
    answers: [{ call: 'interactions.callback', input: { type: 'update', content: 'pong again' } }],
  })
  expect((await call('dm', { person: 'ann', text: '/pign', wait_seconds: 10 / 3 })).document).toMatchObject({
    outcome: 'nothing',
    why: 'there is no command /pign; did you mean /ping?',
  })
})

test('switches a command off and on', async () => {
  expect((await call('switch', { to: 'off', name: '/ping', reason: 'back at noon' })).document).toMatchObject({
    state: 'off',
    changed: [{ name: '/ping', reason: 'back at noon' }],
  })
  expect((await call('switch', { to: 'list' })).document).toMatchObject({ off: [{ name: '/ping', server: null }] })
  expect((await call('say', { person: 'ann', text: '/ping' })).document).toMatchObject({
    answers: [{ input: { content: 'This command is switched off for now: back at noon' } }],
  })
  expect(await call('switch', { to: 'off', name: '/pign' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('did you mean /ping?') as string,
  })
  expect((await call('switch', { name: '/ping', to: 'on' })).document).toMatchObject({ state: 'on' })
  expect((await call('say', { person: 'ann', text: '/ping' })).document).toMatchObject({ outcome: 'answered' })
})

test('a failure of the bot is a result, with its line; explain shows its steps', slow, async () => {
  const { isError, document } = await call('say', { person: 'ann', text: '/boom' })
  expect({ isError, document }).toMatchObject({
    isError: false,
    document: { outcome: 'failed', event: { at: 'commands/boom.ts:1', error: 'it broke' } },
  })
  const { id } = (document as { event: { id: number } }).event
  const { document: timeline } = await call('explain', { event: id })
  expect(timeline).toMatchObject({ event: { id }, result: 'error', failure: { message: 'it broke' } })
  const { events } = (await call('events', { limit: 1 })).document as { events: object[] }
  expect(events).toMatchObject([{ id, result: 'error', file: 'commands/boom.ts' }])
})

test('the other tools do what the commands do', { tags: ['all/processes'] }, async () => {
  expect((await call('check')).document).toMatchObject({ handlers: 3, types_checked: true })
  const { stdout } = await draft.framework(['routes', '--json'])
  const printed = stdout.slice(stdout.indexOf('{\n'))
  expect((await call('routes')).document).toEqual(JSON.parse(printed) as object)
  expect((await call('clock', { time: '+16m' })).document).toMatchObject({ advanced_seconds: 960 })
  const permissions = ['manage_messages', 'kick_members']
  expect((await call('role', { person: 'bob', role: 'mods', permissions })).document).toMatchObject({ permissions })
  expect((await call('fault', { path: '/channels/*', fault: '500' })).document).toMatchObject({
    fault: { method: 'POST', path: '/v1/channels/*', then: { status: 500 } },
  })
  expect((await call('fault', { path: 'users/*' })).document).toMatchObject({ fault: { path: '/v1/users/*' } })
  expect((await call('say', { person: 'ann', text: '/ping' })).document).toMatchObject({ outcome: 'failed' })
  expect((await call('fault')).document).toEqual({ cleared: true })
  expect((await call('reset')).document).toEqual({ reset: true })
  await call('say', { person: 'ann', text: '/ping' })
  expect((await call('save_test', { file: 'test/a.test.ts', last: 1 })).document).toMatchObject({ steps: 1 })
  expect(await readFile(join(draft.root, 'test/a.test.ts'), 'utf8')).toContain("says('/ping')")
  const { matches } = (await call('docs_search', { question: 'cooldown guard per server' })).document as {
    matches: { page: string }[]
  }
  expect(matches[0]!.page).toBe('framework/guards')
})

test('errors are errors of the tool, with the texts of the command line', async () => {
  expect(await call('say', { person: 'ann', text: 'x', channel: 'nowhere' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('this person cannot see a channel "nowhere"') as string,
  })
  await call('say', { person: 'ann', text: '/ping' })
  await draft.write({ 'test/own.test.ts': '' })
  expect(await call('save_test', { file: 'test/own.test.ts' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('already exists') as string,
  })
  expect(await call('explain', { event: 999_999 })).toMatchObject({ isError: true })
  expect(await call('say', { person: 'ann' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('text') as string,
  })
})

test('a misspelt argument is an error of every tool, and does nothing', async () => {
  const { tools } = await client.listTools()
  for (const { inputSchema } of tools) expect(inputSchema).toMatchObject({ additionalProperties: false })
  expect(await call('say', { person: 'ann', text: '/ping', chanel: 'random' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('"chanel"') as string,
  })
  expect(await call('reset', { hard: true })).toMatchObject({ isError: true })
})

test('save_test writes only within the folder of the bot', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'botwright-outside-'))
  try {
    await symlink(outside, join(draft.root, 'linked'))
    await mkdir(join(draft.root, 'tests'))
    await writeFile(join(outside, 'mine.test.ts'), '// mine')
    await symlink(join(outside, 'mine.test.ts'), join(draft.root, 'tests/mine.test.ts'))
    await symlink(join(outside, 'new.test.ts'), join(draft.root, 'tests/new.test.ts'))
    const files = ['../a.test.ts', join(outside, 'a.test.ts'), 'linked/a.test.ts', 'linked/b/a.test.ts']
    for (const file of [...files, 'tests/mine.test.ts', 'tests/new.test.ts'])
      expect(await call('save_test', { file, last: 1, force: true })).toMatchObject({
        isError: true,
        text: expect.stringContaining(`${file}: is outside of the bot's folder; pass a path within it`) as string,
      })
    expect(await readdir(outside)).toEqual(['mine.test.ts'])
    expect(await readFile(join(outside, 'mine.test.ts'), 'utf8')).toBe('// mine')
  } finally {
    await rm(outside, { recursive: true })
  }
})

test('the documentation, the routes and the types are resources', slow, async () => {
  const { resources } = await client.listResources()
  const uris = resources.map(({ uri }) => uri)
  expect(uris).toEqual(expect.arrayContaining(['docs://llms.txt', 'docs://framework/commands', 'bot://routes']))
  const read = async (uri: string) => (await client.readResource({ uri })).contents[0] as { text: string }
  expect((await read('docs://llms.txt')).text).toContain('(docs://framework/commands)')
  for (const { uri } of resources) expect((await read(uri)).text).not.toBe('')
  expect((await read('bot://types')).text).toContain('again')
  await expect(read('docs://framework/none')).rejects.toThrow('there is no page docs://framework/none')
})

const pingAlone = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'botwright-alone-'))
  await mkdir(join(folder, 'commands'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'commands/ping.ts'), "export default () => 'pong'")
  return folder
}

test('a configuration reads the variables of .env as they are now', { tags: ['all/processes'] }, async () => {
  await using own = await BotDraft.make({
    'bot.config.ts':
      "if (process.env.TEAM !== 'blue') throw new Error('TEAM is ' + process.env.TEAM)\nexport default {}",
    'commands/ping.ts': "export default () => 'pong'",
    '.env': 'TEAM=blue\n',
  })
  // The environment of a process of its own, in which the configuration is evaluated.
  const child = spawn(process.execPath, [program, 'mcp'], { cwd: own.root, env: plainEnv() })
  const ended = once(child, 'exit')
  const other = new Client({ name: 'a test', version: '1.0.0' })
  await other.connect(new StdioServerTransport(child.stdout, child.stdin))
  const problems = async () => {
    const { structuredContent } = await other.callTool({ name: 'check', arguments: {} })
    return (structuredContent as { problems: { text: string }[] }).problems.map(({ text }) => text)
  }
  try {
    expect(await problems()).toEqual([])
    await own.write({ '.env': 'TEAM=red\n' })
    expect(await problems()).toEqual(['TEAM is red'])
    await own.write({ '.env': '' })
    expect(await problems()).toEqual(['TEAM is undefined'])
  } finally {
    await other.close()
    child.stdin.end()
    await ended
  }
})

test('routes that cannot be read are an error with its text', async () => {
  const folder = await pingAlone()
  const other = await connect(['--folder', folder], draft.root)
  try {
    await rm(folder, { recursive: true })
    await expect(other.client.readResource({ uri: 'bot://routes' })).rejects.toThrow(`there is no folder ${folder}`)
  } finally {
    await other.close()
  }
})

test.for<[VersionNegotiationMode, version: string]>([
  ['legacy', '2025-11-25'],
  ['auto', '2026-07-28'],
])(
  'a client that negotiates as %s speaks MCP %s; the folder of the bot needs no @botwright/dev',
  slow,
  async ([mode, version]) => {
    const folder = await pingAlone()
    const other = await connect(['--folder', folder], draft.root, mode)
    try {
      expect(other.client.getNegotiatedProtocolVersion()).toBe(version)
      expect(await other.client.callTool({ name: 'routes', arguments: {} })).toMatchObject({
        structuredContent: { routes: [{ name: 'ping', file: 'commands/ping.ts' }] },
      })
    } finally {
      await other.close()
      await rm(folder, { recursive: true })
    }
  },
)

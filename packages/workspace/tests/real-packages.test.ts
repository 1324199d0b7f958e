// @module-tag all/real-packages
// One bot that uses each package that bots often use, in every way that bots run. The packages have a lock file of their own.

import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { defaultWorld, startService } from '@botwright/service'
import { joinChat, startTestBot } from '@botwright/testing'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { startBotProcess } from '../src/lib/bot-process.ts'
import { installLocked, otherNode, toolsFolder } from '../src/lib/publishing/tools.ts'
import { untilOnline } from '../src/lib/until-online.ts'
import { findPostgres, NO_POSTGRES, startPostgres, temporary } from './databases.test.fixture.ts'
import { redisServer, startRedis } from './redis.test.fixture.ts'

const run = promisify(execFile)
const repository = fileURLToPath(new URL('../../../', import.meta.url))
const framework = join(repository, 'packages/framework/bin/framework.cjs')
const fixture = fileURLToPath(new URL('fixtures/packages-bot/', import.meta.url))
const TOKEN = 'token-of-the-packages'

/** The answer of each command, in every way that the bot runs. */
const answers = {
  ai: 'with honey',
  anthropic: 'with milk',
  bullmq: '4 cups',
  canvas: 'PNG 0,255,0,255',
  commonjs: 'A tea,A Tea,a-tea,aTea',
  drizzle: 'green 2',
  imports: 'leaf,steep noted',
  inversify: '80 degrees',
  ioredis: 'oolong',
  jsdom: 'green tea',
  knex: 'black 3',
  openai: 'with lemon',
  sentry: 'no tea',
  sharp: 'png 8x4',
  spans: 'brewed',
  validator: 'cups must not be greater than 4',
}

const tsconfig = JSON.stringify({
  compilerOptions: {
    ...{ target: 'es2023', lib: ['es2023', 'esnext.disposable'], module: 'nodenext', types: ['node'], strict: true },
    ...{ noEmit: true, skipLibCheck: true, verbatimModuleSyntax: true, allowImportingTsExtensions: true },
    experimentalDecorators: true,
  },
  include: ['**/*', '.framework/types.d.ts'],
  exclude: ['dist', 'node_modules'],
})

/** The folder of the installed packages. */
let packages: string
beforeAll(async () => {
  packages = join((await installLocked(fixture, 'packages')).folder, 'node_modules')
})

/** A bot in a folder whose name has a space and an umlaut, with files from the fixture and others. npm installs its packages in the folder above, as in a workspace. */
function botWith(names: readonly string[], files: Record<string, string> = {}): string {
  const root = temporary('Größe für Bots')
  symlinkSync(packages, join(root, 'node_modules'))
  const folder = join(root, 'Mein Bot')
  for (const name of names) cpSync(join(fixture, name), join(folder, name), { recursive: true })
  write(folder, { 'tsconfig.json': tsconfig, ...files })
  const manifest = JSON.parse(readFileSync(join(fixture, 'package.json'), 'utf8')) as { dependencies: object }
  const dependencies = { ...manifest.dependencies, '@botwright/framework': '0.1.0' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, dependencies }))
  linkDevelopment(folder)
  return folder
}

function write(folder: string, files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
}

function link(folder: string, names: readonly string[]): void {
  mkdirSync(join(folder, 'node_modules/@botwright'), { recursive: true })
  for (const name of names)
    symlinkSync(join(repository, 'packages', name), join(folder, 'node_modules/@botwright', name))
}

function linkDevelopment(folder: string): void {
  link(folder, ['framework', 'dev', 'testing'])
  for (const [name, from = name] of [['typescript', 'ts7'], ['@types']] as const)
    symlinkSync(join(repository, 'node_modules', from), join(folder, 'node_modules', name))
}

/** The interfaces of OpenAI and of Anthropic, with one answer each. Returns their URL. */
async function startModels(): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      const { stream = false } = JSON.parse(body) as { stream?: boolean }
      const facts = { id: '1', created: 1, model: 'leaf' }
      const choice = { index: 0, finish_reason: 'stop' }
      response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json')
      if (request.url === '/v1/messages')
        return response.end(
          JSON.stringify({
            ...facts,
            ...{ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'with milk' }] },
            ...{ stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } },
          }),
        )
      if (!stream)
        return response.end(
          JSON.stringify({
            ...{ ...facts, object: 'chat.completion' },
            choices: [{ ...choice, message: { role: 'assistant', content: 'with lemon' } }],
          }),
        )
      for (const content of ['with ', 'honey']) {
        const choices = [{ index: 0, finish_reason: content === 'honey' ? 'stop' : null, delta: { content } }]
        response.write(`data: ${JSON.stringify({ ...facts, object: 'chat.completion.chunk', choices })}\n\n`)
      }
      return response.end('data: [DONE]\n\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise((resolve) => void server.close(() => resolve(undefined)).closeAllConnections()))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const plain = { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '' }

/** Runs Node in a folder. Fails with the output. */
async function node(cwd: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { stdout, stderr } = await run(process.execPath, args, { cwd, env: { ...plain, ...env } }).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  return stdout + stderr
}

/** The answers to commands in a build, which runs with nothing but the packages of the bot, in little memory. */
async function answersOfBuild(bot: string, env: Record<string, string>): Promise<Record<string, string>> {
  const place = join(dirname(bot), 'Für alle')
  mkdirSync(place)
  for (const name of ['dist', 'package.json', 'tracing.mjs'])
    cpSync(join(bot, name), join(place, name), { recursive: true })
  link(place, ['framework'])
  rmSync(bot, { recursive: true })
  await using service = await startService({ port: 0, world: defaultWorld('bot', TOKEN) })
  Object.assign(process.env, env, { NODE_OPTIONS: '--import ./tracing.mjs --max-old-space-size=128' })
  onTestFinished(() => {
    for (const name of [...Object.keys(env), 'NODE_OPTIONS']) delete process.env[name]
  })
  await using running = startBotProcess(framework, ['start'], {
    ...{ cwd: place, token: TOKEN, base_url: service.base_url },
  })
  const ann = joinChat(service, { bot: 'bot' }).person('ann')
  await untilOnline(ann, running)
  const found: Record<string, string> = {}
  for (const name of Object.keys(answers)) {
    await ann.says(`/${name}`)
    const newest = async () => (await ann.sees()).at(-1)!.content
    // A streamed answer ends later.
    await expect.poll(newest).not.toMatch(/^\/|▍$/)
    found[name] = await newest()
  }
  expect(await running.stop()).toEqual({ code: 0, output: '' })
  return found
}

const postgres = findPostgres()
const why = [
  ...(postgres === undefined ? [NO_POSTGRES] : []),
  ...(redisServer === undefined ? ['Redis is not installed'] : []),
]
if (why.length > 0) console.error(`\n!!! SKIPPED: ${why.join('; ')}\n`)

test.skipIf(why.length > 0)(
  'a bot answers with each package in tests and in a build, and check accepts it',
  async () => {
    const SPANS = join(temporary('spans'), 'spans.txt')
    await using redis = await startRedis()
    const [DATABASE_URL, MODELS_URL] = await Promise.all([startPostgres(postgres!), startModels()])
    const env = { DATABASE_URL, REDIS_URL: redis.url, MODELS_URL, SPANS }
    const bot = botWith(['bot.config.ts', 'commands', 'lib', 'resources', 'test', 'tracing.mjs'])
    const [checked, tested] = await Promise.all([node(bot, [framework, 'check']), node(bot, ['test/answers.mjs'], env)])
    expect(checked).toMatch(/^✓ 20 handlers, no problems /)
    expect(tested).toBe(`${JSON.stringify(answers)}\n`)
    expect(await node(bot, [framework, 'build'])).toContain('20 handlers in dist/')
    expect(await answersOfBuild(bot, env)).toEqual(answers)
    const spans = new Set(readFileSync(SPANS, 'utf8').split('\n'))
    for (const name of ['commands/spans.ts', 'brew', 'pg.query:SELECT postgres', 'set']) expect(spans).toContain(name)
  },
)

const resource = (before: string, open: string) =>
  `import { resource } from '@botwright/framework'\n${before}\nexport default resource({ open: async () => { ${open} } })\n`

test('a package that cannot work here, and a database that does not answer, are reported with the place and the fix', async () => {
  const uncompiled =
    'the package "better-sqlite3" has no compiled code for this machine, which its install script adds: npm rebuild better-sqlite3'
  const ping = { 'commands/ping.ts': "export default () => 'pong'" }
  const [loading, opening, waiting] = [
    botWith([], {
      'commands/a.ts':
        "import Database from 'better-sqlite3'\nconst db = new Database(':memory:')\nexport default () => db.name",
      'commands/b.ts': "import { kebabCase } from 'lodash'\nexport default () => kebabCase('a b')",
    }),
    botWith([], {
      ...ping,
      'resources/db.ts': resource("import Database from 'better-sqlite3'", "return new Database(':memory:')"),
    }),
    botWith([], {
      ...ping,
      // It resolves to two addresses, so that the error has two causes and no message.
      'resources/db.ts': resource(
        "import { Pool } from 'pg'",
        "await new Pool({ connectionString: 'postgresql://bot@localhost:1/bot' }).query('SELECT 1')",
      ),
    }),
  ]
  const [checked, ...opened] = await Promise.all([
    node(loading, [framework, 'check']),
    ...[opening, waiting].map((bot) =>
      startTestBot(bot).then(
        () => 'started',
        (error: Error) => error.message,
      ),
    ),
  ])
  expect(checked).toContain(`commands/a.ts:2  cannot be loaded: ${uncompiled}`)
  expect(checked).toContain(
    'commands/b.ts  cannot be loaded: the package "lodash" has no export named "kebabCase"; if it is CommonJS, import its default export: import all from \'lodash\'',
  )
  expect(opened).toEqual([
    `resources/db.ts:3: open failed: ${uncompiled}`,
    expect.stringMatching(/^resources\/db\.ts:3: open failed: .*connect ECONNREFUSED 127\.0\.0\.1:1/),
  ])
})

/** The install commands of the package managers, with the protocol of packages in a workspace. */
const managers = {
  npm: { program: 'npm/bin/npm-cli.js', args: ['install', '--offline', '--no-audit'], version: '1.0.0' },
  pnpm: { program: '@pnpm/exe.linux-x64/pnpm', args: ['install', '--offline'], version: 'workspace:*' },
  'Yarn 1': { program: 'yarn/bin/yarn.js', args: ['install', '--offline'], version: '1.0.0' },
  'Yarn 4': { program: '@yarnpkg/cli-dist/bin/yarn.js', args: ['install'], version: 'workspace:*' },
  Bun: { program: '@oven/bun-linux-x64/bin/bun', args: ['install'], version: 'workspace:*' },
} as const
type Manager = keyof typeof managers

/** Newer versions of the managers require it. */
const node24 = otherNode(24)
if (!node24)
  console.warn('SKIPPED: no package managers are installed; run `node packages/workspace/bin/tools.mjs` (Linux on x64)')

/** A repository with a compiled package, a TypeScript package and a bot that uses both. Returns the folder of the bot. */
async function workspaceOf(manager: Manager): Promise<string> {
  const { program, args, version } = managers[manager]
  const root = temporary('workspace')
  write(root, {
    'package.json': '{"name":"acme","private":true,"workspaces":["packages/*","apps/*"]}',
    'pnpm-workspace.yaml': 'packages: [packages/*, apps/*]',
    ...(manager === 'Yarn 4' && { 'yarn.lock': '', '.yarnrc.yml': 'nodeLinker: node-modules\nenableNetwork: false\n' }),
    'packages/compiled/package.json': JSON.stringify({
      ...{ name: '@acme/compiled', version: '1.0.0', type: 'module' },
      exports: { types: './dist/index.d.ts', development: './src/gone.ts', default: './dist/index.js' },
    }),
    'packages/compiled/dist/index.js': 'export const loud = (text) => text.toUpperCase()\n',
    'packages/compiled/dist/index.d.ts': 'export declare const loud: (text: string) => string\n',
    'packages/typed/package.json': JSON.stringify({
      ...{ name: '@acme/typed', version: '1.0.0', type: 'module', exports: './src/index.ts' },
      dependencies: { '@acme/compiled': version },
    }),
    'packages/typed/src/index.ts':
      "import { loud } from '@acme/compiled'\nexport enum Mark { End = '!' }\nexport const shout = (text: string): string => loud(text) + Mark.End\n",
    'apps/bot/package.json': JSON.stringify({
      ...{ name: 'bot', version: '1.0.0', type: 'module', imports: { '#lib/*': './lib/*' } },
      dependencies: { '@acme/compiled': version, '@acme/typed': version },
    }),
    'apps/bot/tsconfig.json': tsconfig,
    'apps/bot/lib/words.ts': "export { loud } from '@acme/compiled'\n",
    'apps/bot/commands/shout.ts':
      "import { shout } from '@acme/typed'\nimport { loud } from '#lib/words.ts'\nexport default () => shout('hey') + loud(' you')\n",
  })
  const path = join(toolsFolder(), 'node_modules', program)
  const [file, ...more] = program.endsWith('.js') ? [node24!, path] : [path]
  await run(file, [...more, ...args], { cwd: root, env: { ...plain, CI: '' } })
  const bot = join(root, 'apps/bot')
  cpSync(join(fixture, 'test'), join(bot, 'test'), { recursive: true })
  linkDevelopment(bot)
  return bot
}

// Skipped without the tools, with the warning above; in CI, a skipped test fails.
test.skipIf(!node24).each(Object.keys(managers) as Manager[])(
  'a bot in a workspace of %s uses a compiled package and a TypeScript package, in check, tests and a build',
  async (manager) => {
    const bot = await workspaceOf(manager)
    const [checked, tested] = await Promise.all([node(bot, [framework, 'check']), node(bot, ['test/answers.mjs'])])
    expect(checked).toContain('1 handler')
    expect(checked).toContain('no problems')
    expect(tested).toBe('{"shout":"HEY! YOU"}\n')
    // It loads the build.
    expect(await node(bot, [framework, 'build'])).toContain('1 handler in dist/')
  },
)

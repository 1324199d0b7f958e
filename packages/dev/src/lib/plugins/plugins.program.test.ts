import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compileBot } from '../load/compile-bot.ts'
import { run } from '../program.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

// A bot with a plugin in TypeScript in a workspace, and an installed one in JavaScript.

const checkout = fileURLToPath(new URL('../../../../..', import.meta.url))
let place: string
let root: string

const write = async (files: Record<string, string>) => {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(place, file)), { recursive: true })
    await writeFile(join(place, file), text)
  }
}

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'botwright-plugins-'))
  root = join(place, 'bot')
  await write({
    'linked/package.json': '{"name":"linked","type":"module","botwright":"plugin.ts"}',
    'linked/plugin.ts': [
      "import { plugin } from '@botwright/framework'",
      'const named: string = "data"',
      "const check = async () => (await import('./lib/check.ts')).check()",
      "export default plugin({ url: import.meta.url, data: [named], check, types: () => 'texts: { a: 1 }' })",
    ].join('\n'),
    'linked/lib/check.ts': "export const check = () => [{ file: 'data/a.json', text: 'is odd' }]",
    'linked/commands/one.ts': "export default (): string => 'one'",
    'bot/node_modules/installed/package.json': '{"name":"installed","type":"module","exports":"./dist/plugin.js"}',
    'bot/node_modules/installed/dist/plugin.js':
      "import { plugin } from '@botwright/framework'\nexport default plugin({ url: import.meta.url })",
    'bot/node_modules/installed/dist/commands/two.js': "export default () => 'two'",
    'bot/package.json': '{"name":"bot","type":"module"}',
    'bot/data/a.json': '{}',
    'bot/commands/own.ts': "export default () => 'own'",
    'bot/bot.config.ts':
      "import installed from 'installed'\nimport linked from 'linked'\nexport default { plugins: { linked: linked(), installed: installed() } }",
  })
  await symlink(join(checkout, 'node_modules/@botwright'), join(root, 'node_modules/@botwright'))
  await mkdir(join(place, 'node_modules'))
  await symlink(join(checkout, 'node_modules/@botwright'), join(place, 'node_modules/@botwright'))
  await symlink(join(place, 'linked'), join(root, 'node_modules/linked'))
})
afterEach(() => rm(place, { recursive: true, force: true }))

async function framework(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(args, { cwd: root, env: { NO_COLOR: '1' } })
  return code === 0 ? stdout : stdout + stderr
}

test('a build includes plugins of the workspace, and references installed ones', async () => {
  expect(await framework('build')).toContain('3 handlers in dist/')
  const built = JSON.parse(await readFile(join(root, 'dist/botwright.json'), 'utf8')) as { modules: object }
  expect(built.modules).toEqual({
    'commands/own.ts': 'commands/own.mjs',
    'linked/commands/one.ts': '_up/linked/commands/one.mjs',
    'installed/commands/two.js': 'npm:installed/dist/commands/two.js',
    'data/a.json': 'data/a.json.mjs',
  })
  expect(await readFile(join(root, 'dist/bot.config.mjs'), 'utf8')).not.toContain('from"linked"')
})

test('a build and tests include plugins that a file mounts which the configuration imports', slow, async () => {
  const config = await readFile(join(root, 'bot.config.ts'), 'utf8')
  await write({ 'bot/parts.ts': config, 'bot/bot.config.ts': "import parts from './parts.ts'\nexport default parts" })
  expect(await framework('build')).toContain('3 handlers in dist/')
  const { source, remove } = await compileBot(root)
  expect(source.manifest.entries.map(({ name }) => name).sort()).toEqual(['one', 'own', 'two'])
  await remove()
})

test('plugins read the data of installed packages, and each entry of these stays importable', async () => {
  const entry = "import { plugin } from '@botwright/framework'\nexport default plugin({ url: import.meta.url })"
  await write({
    'bot/node_modules/@acme/several/package.json': JSON.stringify({
      ...{ name: '@acme/several', type: 'module', exports: { './polls': './dist/polls/plugin.js' } },
      botwright: { './polls': 'src/polls/plugin.ts' },
    }),
    'bot/node_modules/@acme/several/dist/polls/plugin.js': entry,
    'bot/node_modules/@acme/several/dist/polls/data/b.json': '{}',
    'bot/node_modules/installed/dist/data/c.json': '{}',
    'bot/lib/plugins.ts': "export { default as installed } from 'installed'",
    'bot/bot.config.ts':
      "import polls from '@acme/several/polls'\nimport linked from 'linked'\nimport { installed } from './lib/plugins.ts'\nexport default { plugins: { linked: linked(), polls: polls(), installed: installed() } }",
  })
  expect(await framework('check')).toContain('1 problem')
  expect(await framework('build')).toContain('3 handlers in dist/')
  expect(await framework('routes')).toContain('/two')
  const { source, configPath, remove } = await compileBot(root)
  source.provide!('bot.config.ts')
  expect(await import(configPath!)).toHaveProperty('default.plugins.polls')
  await remove()
})

test('check reports the findings of a plugin, and a conflict names both files', slow, async () => {
  expect(await framework('check')).toContain('data/a.json  is odd')
  await write({ 'bot/commands/two.ts': "export default () => 'mine'" })
  expect(await framework('check')).toContain('commands/two.ts and installed/commands/two.js both define /two')
})

test("routes lists each handler's middleware: the bot's, and that of its own plugin only", slow, async () => {
  const around = "import { middleware } from '@botwright/framework'\nexport default middleware((_ctx, next) => next())"
  await write({
    'bot/middleware.ts': around,
    'linked/middleware.ts': around,
    'linked/commands/middleware.ts': around,
    'bot/node_modules/installed/dist/middleware.js': around,
  })
  type Told = { routes: { kind: string; name: string; plugin?: string; middleware: string[] }[] }
  const { routes } = JSON.parse(await framework('routes', '--json')) as Told
  const commands = routes.filter(({ kind }) => kind === 'command')
  expect(commands.map(({ name, plugin, middleware }) => [name, plugin, middleware])).toEqual([
    ['own', undefined, ['middleware.ts']],
    ['one', 'linked', ['middleware.ts', 'linked/middleware.ts', 'linked/commands/middleware.ts']],
    ['two', 'installed', ['middleware.ts', 'installed/middleware.js']],
  ])
  const shown = await framework('routes')
  for (const name of ['everything ', 'everything of linked ', 'commands/ of linked ', 'everything of installed '])
    expect(shown).toContain(`\n  ${name}`)
})

test('each invalid option of a plugin is a separate problem', async () => {
  await write({
    'bot/node_modules/installed/dist/plugin.js':
      "import { plugin } from '@botwright/framework'\nimport { z } from 'zod'\nexport default plugin({ url: import.meta.url, options: z.strictObject({ start: z.int() }) })",
    'bot/bot.config.ts':
      "import installed from 'installed'\nexport default { plugins: { installed: installed({ start: 'ten', strat: 1 }) } }",
  })
  await symlink(join(checkout, 'node_modules/zod'), join(root, 'node_modules/zod'))
  const { problems } = JSON.parse(await framework('check', '--json')) as { problems: object[] }
  expect(problems).toEqual([
    { file: 'bot.config.ts', text: expect.stringContaining('plugins.installed.start must be a number') },
    { file: 'bot.config.ts', text: expect.stringContaining('unknown field plugins.installed.strat') },
  ])
})

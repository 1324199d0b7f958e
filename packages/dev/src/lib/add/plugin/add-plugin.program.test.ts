import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../../program.test.fixture.ts'
import { linesOf } from './edit-config.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const checkout = fileURLToPath(new URL('../../../../../..', import.meta.url))
const optional = { peerDependenciesMeta: { '@botwright/framework': { optional: true } } }
const peer = (range: string) => ({ peerDependencies: { '@botwright/framework': range }, ...optional })

/** A package in JavaScript, as it is published. */
const packageOf = (
  manifest: { name: string; [field: string]: unknown },
  files: Record<string, string> = {},
): Record<string, string> => ({
  'package.json': JSON.stringify({ version: '1.2.0', type: 'module', exports: './plugin.js', ...manifest }),
  'plugin.js': `import { plugin } from '@botwright/framework'\nexport default plugin({ url: import.meta.url })`,
  'commands/kudos.js': "export default () => 'thanks'",
  'copy/kudos.txt': 'Thank you!\n',
  ...files,
})

const packages = {
  '@acme/bot-kudos': packageOf({
    name: '@acme/bot-kudos',
    ...peer('^0.1.0'),
    botwright: { source: 'plugin.js', copy: { 'texts/kudos.txt': 'copy/kudos.txt' } },
  }),
  '@acme/next': packageOf({ name: '@acme/next', ...peer('^7.0.0'), botwright: 'plugin.js' }),
  '@acme/shout': packageOf({ name: '@acme/shout' }),
  '@acme/outside': packageOf({
    name: '@acme/outside',
    ...peer('*'),
    botwright: { source: 'plugin.js', copy: { '../x.txt': 'copy/x.txt' } },
  }),
  '@acme/gone': packageOf({ name: '@acme/gone', ...peer('*'), botwright: 'plugin.js' }),
  '@acme/lost': packageOf({
    name: '@acme/lost',
    ...peer('*'),
    botwright: { source: 'plugin.js', copy: { 'x.txt': 'copy/x.txt' } },
  }),
  '@acme/strict': packageOf(
    { name: '@acme/strict', ...peer('*'), botwright: 'plugin.js' },
    {
      'plugin.js': `import { plugin } from '@botwright/framework'
import { z } from 'zod'
export default plugin({ url: import.meta.url, options: z.strictObject({ channel: z.string() }) })`,
    },
  ),
}

let shared: string
let registry: Server
let place: string
let root: string

async function writeAll(folder: string, files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
}

async function pack(files: Record<string, string>, file: string): Promise<void> {
  const folder = await mkdtemp(join(shared, 'pack-'))
  await writeAll(join(folder, 'package'), files)
  await promisify(execFile)('tar', ['-czf', file, '-C', folder, 'package'])
}

/** A registry of these packages, which npm asks. */
beforeAll(async () => {
  shared = await realpath(await mkdtemp(join(tmpdir(), 'botwright-add-plugin-')))
  for (const [name, files] of Object.entries(packages)) await pack(files, tarball(name))
  await rm(tarball('@acme/gone'))
  registry = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '')
    const name = path.slice(1) as keyof typeof packages
    const sendFile = async () => response.end(await readFile(join(shared, path.slice(1))))
    const isFile = path.endsWith('.tgz') && existsSync(join(shared, path.slice(1)))
    if (isFile) return void sendFile()
    if (!(name in packages)) return void response.writeHead(404).end('{"error":"Not found"}')
    const manifest = JSON.parse(packages[name]['package.json']!) as { version: string }
    const dist = { tarball: `http://${request.headers.host}/${fileOf(name)}` }
    const { version } = manifest
    response.end(
      JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, name, dist } } }),
    )
  })
  await once(registry.listen(0, '127.0.0.1'), 'listening')
})
afterAll(async () => {
  registry.close()
  await rm(shared, { recursive: true, force: true })
})

const fileOf = (name: string) => `${name.replaceAll(/\W+/g, '-')}.tgz`
const tarball = (name: string) => join(shared, fileOf(name))

const config = `import { defineConfig } from '@botwright/framework'

export default defineConfig({
  // Answer what is still open.
  catchUp: { interaction: 'open' },
})
`

beforeEach(async () => {
  place = await realpath(await mkdtemp(join(tmpdir(), 'botwright-add-plugin-bot-')))
  root = join(place, 'bot')
  await writeAll(root, {
    'package.json': '{"name":"bot","type":"module","dependencies":{}}\n',
    'package-lock.json': '{"name":"bot","lockfileVersion":3,"requires":true,"packages":{"":{"name":"bot"}}}\n',
    'commands/ping.ts': "export default () => 'pong'",
    'bot.config.ts': config,
  })
  await mkdir(join(place, 'node_modules'))
  for (const name of ['@botwright', 'zod'])
    await symlink(join(checkout, 'node_modules', name), join(place, 'node_modules', name))
})
afterEach(() => rm(place, { recursive: true, force: true }))

async function framework(...args: string[]) {
  const { port } = registry.address() as AddressInfo
  const settings = {
    registry: `http://127.0.0.1:${port}/`,
    cache: join(shared, 'cache'),
    audit: 'false',
    fund: 'false',
  }
  const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`npm_config_${name}`, value]))
  return run(args, { cwd: root, env: { NO_COLOR: '1', npm_config_update_notifier: 'false', ...env } })
}
const add = (...args: string[]) => framework('add', 'plugin', ...args)

/** The files of the bot with their texts, without packages. */
async function contents(): Promise<Record<string, string>> {
  const found = await readdir(root, { recursive: true, withFileTypes: true })
  const files = found.flatMap((one) => (one.isFile() ? [join(one.parentPath, one.name).slice(root.length + 1)] : []))
  const own = files.filter((file) => !/^(?:node_modules|\.botwright)\//.test(file)).sort()
  const texts = own.map(async (file): Promise<[string, string]> => [file, await readFile(join(root, file), 'utf8')])
  return Object.fromEntries(await Promise.all(texts))
}

test('installs a plugin from the registry, mounts it, and copies what it offers', async () => {
  const { code, stdout, stderr } = await add('@acme/bot-kudos')
  expect({ code, stderr, stdout }).toEqual({
    code: 0,
    stderr: '',
    stdout: `✓ @acme/bot-kudos 1.2.0  npm install @acme/bot-kudos
✓ texts/kudos.txt  copied from the plugin
✓ bot.config.ts  mounts the plugin as plugins.kudos
It adds /kudos.
Next: run npx framework dev, and type /kudos
`,
  })
  const files = await contents()
  expect(files['bot.config.ts']).toBe(`import { defineConfig } from '@botwright/framework'
import kudos from '@acme/bot-kudos'

export default defineConfig({
  // Answer what is still open.
  catchUp: { interaction: 'open' },
  plugins: { kudos: kudos() },
})
`)
  expect(files['texts/kudos.txt']).toBe('Thank you!\n')
  expect(files['package.json']).toContain('"@acme/bot-kudos":"^1.2.0"')
  const { routes } = JSON.parse((await framework('routes', '--json')).stdout) as { routes: object[] }
  expect(routes).toContainEqual(expect.objectContaining({ name: 'kudos', plugin: 'kudos' }))

  const again = await add('@acme/bot-kudos')
  expect(again.code).toBe(1)
  expect(again.stderr).toContain('bot.config.ts already mounts @acme/bot-kudos as plugins.kudos: nothing was changed')
  expect(await contents()).toEqual(files)
})

test('--dry prints the same steps and changes nothing', slow, async () => {
  const before = await contents()
  const { code, stdout } = await add('@acme/bot-kudos', '--dry')
  expect([code, stdout.split('\n')[0]]).toEqual([0, 'Dry run: nothing was changed. The steps are:'])
  expect(stdout).toContain('✓ bot.config.ts  mounts the plugin as plugins.kudos\n')
  expect(await contents()).toEqual(before)
  expect(existsSync(join(root, 'node_modules'))).toBe(false)
})

test('adds a plugin of a folder, with options, to a bot without a configuration', slow, async () => {
  await rm(join(root, 'bot.config.ts'))
  await writeAll(join(place, 'kudos'), {
    ...packages['@acme/strict'],
    'package.json': packages['@acme/strict']['package.json']!.replace('@acme/strict', 'kudos'),
  })
  const { code, stdout } = await add('../kudos', '--options', '{"channel":"general"}')
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('✓ bot.config.ts  new, mounts the plugin as plugins.kudos\n'),
  ])
  expect(stdout).not.toContain('are an example')
  expect((await contents())['bot.config.ts']).toBe(`import { defineConfig } from '@botwright/framework'
import kudos from 'kudos'

export default defineConfig({
  plugins: { kudos: kudos({ channel: 'general' }) },
})
`)
})

test('adds one plugin after another from the tarball of a package with several', slow, async () => {
  const plugin = packages['@acme/bot-kudos']['plugin.js']!
  const manifest = {
    name: '@acme/bots',
    ...{ version: '1.0.0', type: 'module', ...peer('^0.1.0') },
    exports: { './thanks': './thanks/plugin.js', './well-done': './well-done/plugin.js' },
    botwright: { './thanks': 'thanks/plugin.js', './well-done': { source: 'well-done/plugin.js' } },
  }
  await pack(
    {
      'package.json': JSON.stringify(manifest),
      'thanks/plugin.js': plugin,
      'thanks/commands/thanks.js': "export default () => 'thanks'",
      'thanks/middleware.js':
        "import { middleware } from '@botwright/framework'\nexport default middleware((_, next) => next())",
      'well-done/plugin.js': plugin,
      'well-done/commands/well-done.js': "export default () => 'well done'",
      'well-done/middleware.js':
        "import { middleware } from '@botwright/framework'\nexport default middleware((_, next) => next())",
    },
    join(root, 'bots.tgz'),
  )
  const bare = await add('./bots.tgz')
  expect(bare.stderr).toContain(
    '@acme/bots has several plugins: thanks, well-done; name one: framework add plugin @acme/bots thanks',
  )
  expect(await add('./bots.tgz', 'thanks')).toMatchObject({ code: 0, stderr: '' })
  expect(await add('@acme/bots/well-done')).toMatchObject({ code: 0, stderr: '' })
  const files = await contents()
  expect(files['bot.config.ts']).toContain("  plugins: { thanks: thanks(), 'well-done': wellDone() },\n")
  const { routes } = JSON.parse((await framework('routes', '--json')).stdout) as { routes: { name: string }[] }
  expect(routes).toContainEqual(
    expect.objectContaining({
      name: 'well-done',
      file: '@acme/bots/well-done/commands/well-done.js',
      middleware: ['@acme/bots/well-done/middleware.js'],
    }),
  )
  expect((await framework('build')).code).toBe(0)
  const built = JSON.parse(await readFile(join(root, 'dist/botwright.json'), 'utf8')) as { modules: object }
  expect(built.modules).toMatchObject({
    '@acme/bots/thanks/commands/thanks.js': 'npm:@acme/bots/thanks/commands/thanks.js',
  })
})

test('prints the lines for a configuration that it does not understand', slow, async () => {
  const typed = 'const plugins: object = {}\nexport default { plugins }\n'
  await writeFile(join(root, 'bot.config.ts'), typed)
  const { code, stdout } = await add('@acme/bot-kudos')
  expect(code).toBe(0)
  expect(stdout).toContain('! bot.config.ts  not changed: it has code that is not plain JavaScript (')
  const lines = linesOf({ specifier: '@acme/bot-kudos', name: 'kudos', local: 'kudos', options: undefined })
  expect(stdout).toContain(`. Add these two lines:\n    ${lines[0]}\n    ${lines[1]}\n`)
  expect(stdout).toContain('Next: add the lines, then run npx framework check')
  expect((await contents())['bot.config.ts']).toBe(typed)
})

test('keeps a file that exists', slow, async () => {
  await writeAll(root, { 'texts/kudos.txt': 'my own' })
  const { code, stdout } = await add('@acme/bot-kudos')
  expect([code, stdout]).toEqual([0, expect.stringContaining('· texts/kudos.txt  already exists: not copied\n')])
  expect((await contents())['texts/kudos.txt']).toBe('my own')
})

describe('changes nothing', () => {
  test.each([
    ['an unknown package', ['@acme/missing'], 'the registry has no package @acme/missing: correct the name'],
    [
      'a package that is not a plugin',
      ['@acme/shout'],
      '@acme/shout is not a plugin: its package.json has no field "botwright"',
    ],
    ['another major version', ['@acme/next'], '@acme/next requires @botwright/framework ^7.0.0, but the bot has 0.1.0'],
    ['no package', ['rm -rf'], '"rm -rf" is not the name of a package'],
    ['a missing folder', ['./missing'], 'there is no file or folder '],
    ['a folder without a package', ['./commands'], 'has no package.json: pass the folder of a plugin'],
    ['another file', ['./broken.tgz'], 'cannot be unpacked'],
    ['a path out of the bot', ['@acme/outside'], 'botwright.copy: "../x.txt" is not a path inside of the bot'],
    [
      'an unknown plugin of a package',
      ['@acme/bot-kudos', 'polls'],
      '@acme/bot-kudos has only one plugin; pass no other name: framework add plugin @acme/bot-kudos',
    ],
  ])('for %s', async (_name, args, text) => {
    await writeFile(join(root, 'broken.tgz'), 'not a tarball')
    const before = await contents()
    const { code, stdout, stderr } = await add(...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(text)
    expect(await contents()).toEqual(before)
    expect(existsSync(join(root, 'node_modules'))).toBe(false)
  })

  test('if a folder for the files is a link that leads out of the bot', async () => {
    await mkdir(join(place, 'elsewhere'))
    await symlink(join(place, 'elsewhere'), join(root, 'texts'))
    const { stderr } = await add('@acme/bot-kudos')
    expect(stderr).toContain(
      'the plugin offers texts/kudos.txt, but texts is a link that leads out of the folder of the bot',
    )
    expect(await readdir(join(place, 'elsewhere'))).toEqual([])
  })

  test('outside of a bot', async () => {
    await rm(join(root, 'package.json'))
    expect((await add('@acme/bot-kudos')).stderr).toContain(`there is no package.json in ${root}`)
  })
})

describe('undoes everything', () => {
  test.each([
    [
      'a command that the bot has',
      '@acme/bot-kudos',
      'commands/kudos.ts and @acme/bot-kudos/commands/kudos.js both define /kudos',
      { 'commands/kudos.ts': "export default () => 'mine'" },
    ],
    ['an installation that fails', '@acme/gone', 'npm cannot install @acme/gone: npm error code E404', {}],
    ['a missing file', '@acme/lost', "the plugin's package has no file copy/x.txt", {}],
    ['required options', '@acme/strict', 'plugins.strict.channel must be a string', {}],
  ])('for %s', slow, async (_name, name, text, own: Record<string, string>) => {
    await writeAll(root, { 'bot.config.ts': `\ufeff${config}`, ...own })
    const before = await contents()
    const { code, stdout, stderr } = await add(name)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(text)
    expect(stderr).toContain('Every change was undone.')
    expect(await contents()).toEqual(before)
    expect(existsSync(join(root, 'node_modules', name))).toBe(false)
    expect(existsSync(join(root, 'texts'))).toBe(false)
  })
})

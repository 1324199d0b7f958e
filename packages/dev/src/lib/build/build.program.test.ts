import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defaultWorld, startService } from '@botwright/service'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startProduction } from '../production.test.fixture.ts'
import { run } from '../program.test.fixture.ts'
import { build } from './build.ts'
import { startPerson } from '../test-person.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const checkout = fileURLToPath(new URL('../../../../..', import.meta.url))
let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'botwright-build-'))
  await mkdir(join(root, 'node_modules'))
  await symlink(join(checkout, 'node_modules/@botwright'), join(root, 'node_modules/@botwright'))
  await write({ 'package.json': '{"type":"module"}' })
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function write(files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), text)
  }
}

async function framework(...args: string[]): Promise<{ code: number; output: string }> {
  const { code, stdout, stderr } = await run(args, { cwd: root })
  return { code, output: stdout + stderr }
}

const bot = {
  'lib/store.ts': 'export const store: { count: number } = { count: 0 }',
  'commands/up.ts':
    "import { command } from '@botwright/framework'\nimport { store } from '../lib/store.ts'\nexport default command({ description: 'Counts', run: () => `up ${++store.count}` })",
  'commands/again.ts': "import { store } from '../lib/store'\nexport default () => `again ${++store.count}`",
  'bot.config.ts':
    "import { defineConfig } from '@botwright/framework'\nexport default defineConfig({ answerBots: true })",
  'commands/mood.ts': "export default () => `mood ${process.env['MOOD']}`",
}

test('a build runs with production packages only, without compiler and sources', slow, async () => {
  await write({
    ...bot,
    'commands/later.ts':
      "export default async (ctx) => {\n  await ctx.reply('later'); void Promise.reject(new Error('no fuel'))\n  setTimeout(() => { throw new Error('out of time') }, 300)\n}",
  })
  const built = await framework('build')
  expect(built).toMatchObject({
    code: 0,
    output: expect.stringMatching(/4 handlers in dist\/, \d+(?:\.\d)? k?B/) as string,
  })
  const manifest = JSON.parse(await readFile(join(root, 'dist/botwright.json'), 'utf8')) as object
  expect(manifest).toMatchObject({
    version: 1,
    config: 'bot.config.mjs',
    modules: {
      'commands/up.ts': 'commands/up.mjs',
      'commands/again.ts': 'commands/again.mjs',
      'commands/mood.ts': 'commands/mood.mjs',
    },
    definitions: [
      { kind: 'command', name: 'again', description: 'Again', file: 'commands/again.ts' },
      { kind: 'command', name: 'later', description: 'Later', file: 'commands/later.ts' },
      { kind: 'command', name: 'mood', description: 'Mood', file: 'commands/mood.ts' },
      { kind: 'command', name: 'up', description: 'Counts', file: 'commands/up.ts' },
    ],
  })
  await using service = await startService({ port: 0, world: defaultWorld('counter', 'token-of-the-counter') })
  await using production = await startProduction(join(root, 'dist'), {
    files: { '.env': 'MOOD=fine' },
    env: { BOT_TOKEN: 'token-of-the-counter', BOT_BASE_URL: service.base_url },
  })
  await expect.poll(production.log).toContain('is ready')
  const ann = await startPerson(service.url, 'ann')
  expect(await ann.answerTo('/up')).toBe('up 1')
  expect(await ann.answerTo('/again')).toBe('again 2')
  expect(await ann.answerTo('/mood')).toBe('mood fine')
  // An error that no handler waits for is logged with the line of the source, which does not even exist here.
  expect(await ann.answerTo('/later')).toBe('later')
  await expect.poll(production.log).toContain('ended its thread')
  expect(production.log()).toContain('commands/later.ts:2: a promise that no code awaits was rejected: no fuel')
  expect(production.log()).toContain('commands/later.ts:3: ended its thread with an uncaught error: out of time')
  expect(await production.stop()).toBe(0)
})

test(
  'a built bot loads all of its modules without an event, and logs what does not load with file and line',
  slow,
  async () => {
    await write({
      'lib/prices.ts':
        "let price = 'unknown'\nconst timer = setInterval(() => { price = '42'; console.log('ticks'); clearInterval(timer) }, 20)\nexport const latest = () => price",
      'commands/price.ts': "import { latest } from '../lib/prices.ts'\nexport default () => latest()",
      'commands/queue.ts': "if (process.env['QUEUE'])\n  throw new Error('no queue')\nexport default () => 'queue'",
    })
    expect(await framework('build')).toMatchObject({ code: 0 })
    await using service = await startService({ port: 0, world: defaultWorld('prices', 'token-of-the-prices') })
    await using production = await startProduction(join(root, 'dist'), {
      env: { BOT_TOKEN: 'token-of-the-prices', BOT_BASE_URL: service.base_url, QUEUE: 'gone' },
      args: ['--workers', '2'],
    })
    await expect.poll(production.log).toMatch(/ticks[^]*ticks/)
    await expect.poll(production.log).toContain('commands/queue.ts:2 cannot be loaded: no queue')
    const ann = await startPerson(service.url, 'ann')
    expect(await ann.answerTo('/price')).toBe('42')
    expect(await production.stop()).toBe(0)
  },
)

test('an error fails both build and check, with file and line, and the last build stays', async () => {
  await write(bot)
  expect((await framework('build')).code).toBe(0)
  await write({ 'commands/bad.ts': "const x: number = 1\nthrow new Error('at load')\nexport default () => x" })
  const expected = { code: 1, output: expect.stringMatching(/commands\/bad\.ts:2:7 {2}at load/) as string }
  expect(await framework('build')).toMatchObject(expected)
  expect(await framework('check')).toMatchObject(expected)
  expect(existsSync(join(root, 'dist/botwright.json'))).toBe(true)
  await write({ 'commands/bad.ts': 'export default (' })
  expect((await framework('build')).output).toContain('commands/bad.ts:1:17')
  await write({ 'commands/bad.ts': 'export default () => "fine"', 'bot.config.ts': 'export default { limit: 1 }' })
  expect((await framework('check')).output).toContain('unknown field limit')
  expect((await framework('build')).output).toContain('unknown field limit')
  await rm(join(root, 'bot.config.ts'))
  expect(await framework('check')).toMatchObject({ code: 0 })
})

test('a button with a custom_id that cannot fit fails build and check, with the file and the fix', slow, async () => {
  await write({
    'commands/up.ts': "export default () => 'up'",
    'buttons/poll/vote.ts':
      "import { button, text, uuid } from '@botwright/framework'\nexport default button({ params: { poll: uuid(), note: text({ max: 80 }) }, run: () => undefined })",
  })
  for (const command of ['build', 'check']) {
    const { code, output } = await framework(command)
    expect(code).toBe(1)
    expect(output).toContain(
      'buttons/poll/vote.ts  its custom_id can have 119 characters; the limit is 100 (interface §2): poll 22, note 82;',
    )
    expect(output).toContain('keep the parameters in the store: spill: true')
  }
})

test(
  'check reports type errors if the bot has a compiler; build overwrites only builds',
  { tags: ['all/processes'] },
  async () => {
    await write({
      'commands/a.ts': "const wrong: number = 'text'\nexport default () => String(wrong)",
      'tsconfig.json':
        '{"compilerOptions":{"strict":true,"module":"nodenext","target":"es2023","noEmit":true,"types":[],"allowImportingTsExtensions":true},"include":["commands"]}',
    })
    await symlink(join(checkout, 'node_modules/typescript'), join(root, 'node_modules/typescript'))
    const { code, output } = await framework('check')
    expect(output).toMatch(/commands\/a\.ts:1:7 {2}TS2322/)
    expect(code).toBe(1)
    expect(await framework('build', '--out', 'commands')).toMatchObject({ code: 1 })
    expect(existsSync(join(root, 'commands/a.ts'))).toBe(true)
  },
)

test('a misspelled command gets a hint', async () => {
  const { code, output } = await framework('build', '--outt', 'x')
  expect(code).toBe(2)
  expect(output).toContain('Did you mean --out?')
  expect((await framework('dev', '--help')).output).toContain('--real')
  expect((await framework('biuld')).output).toContain('Did you mean build?')
})

test('a folder without handlers cannot be built, and a check reports that', slow, async () => {
  await write({ 'lib/note.ts': 'export const note = 1' })
  const { code, output } = await framework('check')
  expect({ code, output }).toMatchObject({ code: 1, output: expect.stringContaining('framework add command ping') })
  await expect(build(root, join(root, 'dist'))).rejects.toThrow(/nothing to build: framework add command ping$/)
  expect(existsSync(join(root, 'dist'))).toBe(false)
})

test('an output folder among the handlers is refused, and one without the packages of the bot is named', async () => {
  await write(bot)
  for (const out of ['commands/out', 'src/events', 'buttons'])
    expect(await framework('build', '--out', out)).toMatchObject({
      code: 1,
      output: expect.stringContaining(`${out} is in a folder of handlers; choose another folder with --out`) as string,
    })
  expect(existsSync(join(root, 'commands/out'))).toBe(false)
  const { code, output } = await framework('build', '--out', `../${basename(root)}-out`)
  expect(code).toBe(1)
  expect(output).toContain('code in it does not find the packages in node_modules of the bot')
})

import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDev, startDevProcess } from '../dev-process.test.fixture.ts'
import { run, type Running, untilPrinted } from '../program.test.fixture.ts'
import { startPerson, type Person } from '../test-person.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

// `framework dev` as a user runs it: a process in a bot's folder, saves on disk, and a person who types.

const checkout = fileURLToPath(new URL('../../../../..', import.meta.url))
let root: string
let dev: Running
/** The end of the output that a test does not look at. */
let seen = 0
let ann: Person

const save = async (file: string, text: string) => {
  await mkdir(dirname(join(root, file)), { recursive: true })
  await writeFile(join(root, file), text)
}
const ping = (reply: string, before = '') =>
  save(
    'commands/ping.ts',
    `import { command } from '@botwright/framework'\n${before}\nexport default command({ description: 'Answers', run: () => '${reply}' })\n`,
  )
const output = () => dev.output().slice(seen)
const printed = (text: string | RegExp) => untilPrinted({ output }, text)

const pageUrl = () => /http:\/\/127\.0\.0\.1:\d+/.exec(output())![0]
const isStarted = async () => {
  await printed(/Chat +http/)
  await printed('/ping')
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'botwright-dev-'))
  await mkdir(join(root, 'node_modules'))
  await symlink(join(checkout, 'node_modules/@botwright'), join(root, 'node_modules/@botwright'))
  await save('package.json', '{"type":"module"}')
  await ping('one')
  dev = await startDev({ root })
  await isStarted()
  ann = await startPerson(pageUrl(), 'ann')
})

afterAll(async () => {
  await rm(root, { recursive: true, force: true })
})

test('a command is answered, and a saved change answers next', async () => {
  expect(output()).toContain('commands/ping.ts')
  expect(await ann.answerTo('/ping')).toBe('one')
  await ping('two')
  await printed(/↻ commands\/ping\.ts {2}[\d.]+ m?s/)
  expect(await ann.answerTo('/ping')).toBe('two')
  await printed(/\/ping {2}ann → #general {2}[\d.]+ m?s {2}✓/)
})

test('framework commands finds the service of the running bot, on any port', async () => {
  const { stdout } = await run(['commands', 'list'], { cwd: root })
  expect(stdout).toMatch(/\/ping +Answers\n/)
  expect(stdout).toContain(`registered at ${new URL(pageUrl()).host}, the local service`)
})

test('an error in compiling or loading is shown with its location, and the old code answers', slow, async () => {
  seen = dev.output().length
  await ping('three', 'const broken = (')
  await printed(/commands\/ping\.ts:3:1 {2}/)
  await printed('still running the previous version')
  expect(await ann.answerTo('/ping')).toBe('two')

  seen = dev.output().length
  await ping('three', "throw new Error('at load')")
  await printed(/commands\/ping\.ts:2:7 {2}at load/)
  expect(await ann.answerTo('/ping')).toBe('two')

  seen = dev.output().length
  await ping('three', "import { gone } from './ping.ts'\nconsole.log(gone)")
  await printed(/commands\/ping\.ts:2:10 {2}\.\/ping\.ts has no export named "gone"/)
  expect(await ann.answerTo('/ping')).toBe('two')

  seen = dev.output().length
  await ping('three', 'for (;;) {}')
  await printed(/commands\/ping\.ts .*did not finish loading/)
  expect(await ann.answerTo('/ping')).toBe('two')

  seen = dev.output().length
  await ping('three')
  await printed('↻ commands/ping.ts')
  expect(await ann.answerTo('/ping')).toBe('three')
})

test('new, conflicting and deleted files are reloaded', slow, async () => {
  seen = dev.output().length
  await save('commands/hello.ts', "export const description = 'Greets'\nexport default () => 'hello'")
  await printed('commands: + hello')
  expect(await ann.answerTo('/hello')).toBe('hello')
  await save('commands/(more)/hello.ts', "export default () => 'other'")
  await printed(/commands\/\(more\)\/hello\.ts and commands\/hello\.ts both define \/hello/)
  expect(await ann.answerTo('/hello')).toBe('hello')
  await rm(join(root, 'commands/(more)/hello.ts'))
  await printed('fixed; now running')
  await rm(join(root, 'commands/hello.ts'))
  await printed('commands: - hello')
})

test('a handler that throws is shown with its line, and bot.config.ts restarts the runtime', slow, async () => {
  seen = dev.output().length
  await save(
    'commands/boom.ts',
    "interface Kept {\n  a: string\n}\n\nexport default () => {\n  throw new Error('boom')\n}",
  )
  await printed('commands: + boom')
  expect(await ann.answerTo('/boom')).toContain('Something went wrong')
  await printed(/commands\/boom\.ts:6:9 {2}boom/)
  await save(
    'commands/keep.ts',
    `interface Kept {
  a: string
}

export default (ctx: any) => {
  ctx.log.warn({ err: new TypeError('gone\\u001b[2J', { cause: new RangeError('full') }) }, 'not kept')
  return 'kept'
}
`,
  )
  await printed('commands: + keep')
  expect(await ann.answerTo('/keep')).toBe('kept')
  await printed(
    /^! not kept\n {4}TypeError: gone\\u001b\[2J\n {8}at \S.*commands\/keep\.ts:6:\d+\)?\n {4}caused by RangeError: full\n {8}at .*commands\/keep\.ts:6:\d+\)?$/m,
  )
  await save('bot.config.ts', 'export default { limits: { handlerSeconds: 0 } }')
  await printed('handlerSeconds')
  expect(await ann.answerTo('/ping')).toBe('three')
  await save('bot.config.ts', 'export default { limits: { handlerSeconds: 20 } }')
  await printed('⟳ bot.config.ts has changed: restarted')
  expect(await ann.answerTo('/ping')).toBe('three')
})

test('a save cancels code that is stuck while it loads, at once', slow, async () => {
  seen = dev.output().length
  const file = join(root, 'loads')
  await ping('stuck', `process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(file)}, '')\nfor (;;) {}`)
  await expect.poll(() => existsSync(file)).toBe(true)
  await ping('four')
  await printed('↻ commands/ping.ts')
  // As a load without a save does, after 5 s.
  expect(output()).not.toContain('did not finish loading')
  expect(await ann.answerTo('/ping')).toBe('four')
})

test('a change of .env restarts the bot, and names the changed variables without values', slow, async () => {
  await save('commands/greet.ts', "export default () => process.env.GREETING ?? 'nothing'")
  await printed('commands: + greet')
  expect(await ann.answerTo('/greet')).toBe('nothing')
  seen = dev.output().length
  await save('.env', 'GREETING=hej\n# nothing else\n')
  await printed('⟳ .env has changed (GREETING): restarted')
  expect(await ann.answerTo('/greet')).toBe('hej')
  await save('.env', 'GREETING=moin\nBOT_TOKEN=a-token-of-elsewhere\n')
  await ann.comesToAnswer('/greet', 'moin')
  expect(output()).not.toMatch(/hej|a-token-of-elsewhere/)
  await rm(join(root, '.env'))
  await ann.comesToAnswer('/greet', 'nothing')
})

test('a part of the new code that cannot start is reported, and the new code answers', slow, async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  await save('.env', `BOT_HTTP_PORT=${port}\n`)
  await printed('⟳ .env has changed (BOT_HTTP_PORT): restarted')
  seen = dev.output().length
  await save(
    'routes/hook.ts',
    "import { route } from '@botwright/framework'\nexport default route({ verify: false, run: () => {} })",
  )
  await printed(`${port}`)
  await printed('running the new version; what failed is tried again with the next save')
  expect(output()).not.toContain('previous version')
  await new Promise((resolve) => other.close(resolve))
  seen = dev.output().length
  await ping('five')
  await printed('↻ ')
  expect(await ann.answerTo('/ping')).toBe('five')
  await rm(join(root, 'routes'), { recursive: true })
  await rm(join(root, '.env'))
  await printed('⟳ .env has changed (BOT_HTTP_PORT): restarted')
})

test(
  'a rename is one line, and a missing export in a cycle of imports names the files of the author',
  slow,
  async () => {
    await save('commands/one.ts', "export default () => 'renamed'")
    await printed('commands/one.ts (new)')
    seen = dev.output().length
    await rename(join(root, 'commands/one.ts'), join(root, 'commands/other.ts'))
    await printed(/↻ commands\/one\.ts → commands\/other\.ts {2}[\d.]+ m?s\n/)
    expect(output()).not.toMatch(/\((?:new|gone)\)/)
    expect(await ann.answerTo('/other')).toBe('renamed')

    seen = dev.output().length
    await save('lib/left.ts', "import { nothing } from './right.ts'\nexport const left = () => nothing")
    await save('lib/right.ts', "import { left } from './left.ts'\nexport const right = () => left()")
    await save('commands/turn.ts', "import { left } from '../lib/left.ts'\nexport default () => left()")
    await save('commands/other.ts', "import { right } from '../lib/right.ts'\nexport default () => right()")
    await printed(/lib\/left\.ts:1:10 {2}\.\/right\.ts has no export named "nothing"/)
    expect(output()).not.toMatch(/\.mjs|not in cache/)
    seen = dev.output().length
    await rm(join(root, 'commands/turn.ts'))
    await save('commands/other.ts', "export default () => 'fixed'")
    await printed('commands/other.ts')
    expect(await ann.answerTo('/other')).toBe('fixed')
  },
)

test('an error that the next save fixes at once is not reported', slow, async () => {
  seen = dev.output().length
  await ping('broken', 'const broken = (')
  // Longer than a burst, shorter than the time in which an editor finishes.
  await wait(60)
  await ping('fixed')
  await printed('↻ commands/ping.ts')
  await ann.comesToAnswer('/ping', 'fixed')
  expect(output()).not.toContain('still serving')
  expect(output()).not.toContain('✘')
})

test('200 files at once are one reload', { tags: ['all/processes'] }, async () => {
  seen = dev.output().length
  await mkdir(join(root, 'lib/parts'), { recursive: true })
  const parts = Array.from({ length: 200 }, (_, i) => `lib/parts/p${i}.ts`)
  for (const [i, part] of parts.entries()) writeFileSync(join(root, part), `export const p${i} = ${i}`)
  const imports = parts.map((part, i) => `import { p${i} } from '../${part}'`).join('\n')
  await save('commands/sum.ts', `${imports}\nexport default () => String(${parts.map((_, i) => `p${i}`).join(' + ')})`)
  await printed('commands: + sum')
  expect(await ann.answerTo('/sum')).toBe('19900')
  seen = dev.output().length
  for (const [i, part] of parts.entries()) writeFileSync(join(root, part), `export const p${i} = 1`)
  await printed(/↻ commands\/sum\.ts/)
  expect(await ann.answerTo('/sum')).toBe('200')
  expect(output().match(/↻/g)).toHaveLength(1)
})

test('a broken tsconfig.json is reported alone, without every import that it breaks', async () => {
  seen = dev.output().length
  await save('tsconfig.json', '{ "compilerOptions": ')
  await printed(/tsconfig\.json:\d+:\d+/)
  await printed('still running the previous version')
  expect(output()).not.toContain('Could not resolve')
  await save('tsconfig.json', '{}')
  await printed('fixed; now running')
})

test('a signal ends the bot and the service', slow, async () => {
  dev.signal('SIGTERM')
  expect(await dev.ended).toBe(0)
  await expect(ann.answerTo('/ping')).rejects.toThrow()
  expect(existsSync(join(root, '.botwright/service.url'))).toBe(false)
})

test('the service ends with its bot even if the bot is killed', { tags: ['all/processes'] }, async () => {
  const started = startDevProcess({ root })
  dev = started
  seen = 0
  await isStarted()
  const { answerTo } = await startPerson(pageUrl(), 'ann')
  await answerTo('/ping')
  started.child.kill('SIGKILL')
  await expect
    .poll(() =>
      fetch(pageUrl()).then(
        () => 'answers',
        () => 'gone',
      ),
    )
    .toBe('gone')
})

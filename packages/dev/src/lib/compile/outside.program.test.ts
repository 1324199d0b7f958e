import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileBot } from '../load/compile-bot.ts'
import { startDev, stop } from '../dev-process.test.fixture.ts'
import { run, type Running, untilPrinted } from '../program.test.fixture.ts'
import { startPerson, type Person } from '../test-person.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

// A bot with some files elsewhere: imports from outside its folder, and targets of links.

const checkout = fileURLToPath(new URL('../../../../..', import.meta.url))
let base: string
let dev: Running
/** The end of the output that a test does not look at. */
let seen = 0
let ann: Person

const write = async (file: string, text: string) => {
  await mkdir(dirname(join(base, file)), { recursive: true })
  await writeFile(join(base, file), text)
}
const command = (reply: string, before = '') =>
  `import { command } from '@botwright/framework'\n${before}\nexport default command({ description: 'Answers', run: () => ${reply} })\n`
const output = () => dev.output().slice(seen)
const printed = (text: string | RegExp) => untilPrinted({ output }, text)
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'botwright-outside-'))
  await write('bot/package.json', '{"type":"module"}')
  await mkdir(join(base, 'node_modules'))
  await symlink(join(checkout, 'node_modules/@botwright'), join(base, 'node_modules/@botwright'))
  await write('bot/commands/price.ts', command('price', "import { price } from '../../shared/price.ts'"))
  await write('shared/price.ts', 'export const price = ((')
  await write('shared/greeting.ts', "export const greeting = 'hello'\n")
  await write('shared/hello.ts', command('greeting', "import { greeting } from './greeting.ts'"))
  await write('shared/more/deep.ts', command("'deep'"))
  await symlink(join(base, 'shared/hello.ts'), join(base, 'bot/commands/hello.ts'))
  await symlink(join(base, 'shared/more'), join(base, 'bot/commands/more'))
  await symlink('..', join(base, 'bot/commands/around'))
  dev = await startDev({ root: join(base, 'bot') })
  await printed('waiting for a save')
  await printed(/Chat +http/)
  ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(output())![0], 'ann')
})

afterAll(async () => {
  await stop(dev)
  await rm(base, { recursive: true, force: true })
})

test('an imported file outside the folder is watched, even before its first compilation', async () => {
  expect(output()).toContain('../shared/price.ts:1:')
  await write('shared/price.ts', "export const price = 'three'\n")
  await printed('the bot is running')
  expect(await ann.answerTo('/price')).toBe('three')
  seen = dev.output().length
  await write('shared/price.part', "export const price = 'four'\n")
  await rename(join(base, 'shared/price.part'), join(base, 'shared/price.ts'))
  await printed('↻ commands/price.ts')
  expect(await ann.answerTo('/price')).toBe('four')
})

test('a link represents its target, and a linked folder its files', async () => {
  expect(await ann.answerTo('/hello')).toBe('hello')
  expect(await ann.answerTo('/more deep')).toBe('deep')
  seen = dev.output().length
  await write('shared/greeting.ts', "export const greeting = 'good morning'\n")
  await printed('↻ commands/hello.ts')
  expect(await ann.answerTo('/hello')).toBe('good morning')
  seen = dev.output().length
  await write('shared/more/deep.ts', command("'deeper'"))
  await printed('↻ commands/more/deep.ts')
  expect(await ann.answerTo('/more deep')).toBe('deeper')
})

test('a build includes the targets of links', slow, async () => {
  const { stdout } = await run(['build'], { cwd: join(base, 'bot') })
  expect(stdout).toContain('3 handlers in dist/')
})

test('a linked folder can be a bot', async () => {
  await symlink(join(base, 'bot'), join(base, 'link'))
  const copy = await compileBot(join(base, 'link'))
  for (const file of ['commands/price.ts', 'commands/hello.ts']) copy.source.provide!(file)
  const runFile = async (file: string) =>
    ((await import(copy.source.modules[file]!)) as { default: { run(): unknown } }).default.run()
  expect(await runFile('commands/price.ts')).toBe('four')
  expect(await runFile('commands/hello.ts')).toBe('good morning')
  await copy.remove()
})

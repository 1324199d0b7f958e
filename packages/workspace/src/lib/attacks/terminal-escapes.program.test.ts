import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLog } from '@botwright/framework/start'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sourceFiles } from '../source-files.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const checkout = fileURLToPath(new URL('../../../../..', import.meta.url))
const program = join(checkout, 'packages/framework/bin/framework.cjs')
const creator = join(checkout, 'create-bot/bin/create-bot.mjs')
/** Clipboard, title, cursor, bell, carriage return, C1, bidi, line separator and invisible characters. */
const hostile = '\u001b]52;c;ZXZpbA==\u0007\u001b]0;t\u001b\\\u001b[2J\r\u009b2K\u202e\u2066\u2028\u200b\ufeff\u007f'
const harmful = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
/** The same text in a source file, which contains the raw characters. */
const literal = JSON.stringify(hostile).replaceAll('\u2028', '\\u2028')
let root: string

const save = (file: string, text: string) => writeFile(join(root, file), text)

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'botwright-escapes-'))
  for (const folder of ['node_modules', 'commands']) await mkdir(join(root, folder))
  await symlink(join(checkout, 'node_modules/@botwright'), join(root, 'node_modules/@botwright'))
  await save('package.json', '{"type":"module"}')
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** A program's output until it ends or matches `enough`. */
function run(file: string, args: readonly string[], enough?: RegExp): Promise<string> {
  const env = { ...process.env, BOT_TOKEN: '', NO_COLOR: '1', FORCE_COLOR: '' }
  const child = spawn(process.execPath, [file, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (enough?.test(output)) child.kill('SIGTERM')
    })
  return new Promise((resolve) => child.once('close', () => resolve(output)))
}

test.concurrent.for([
  ['a command', [`x${hostile}`]],
  ['an option', ['check', `--x${hostile}`]],
  ['a value', ['events', '--type', hostile]],
  ['a folder', ['start', `dist${hostile}`]],
  ['an event id', ['replay', `1${hostile}`]],
  ['a world file', ['dev', '--port', '0', '--world', hostile]],
  ['a data file', ['service', '--port', '0', '--data', `none${hostile}/x`]],
] as const)('framework echoes %s without control characters', slow, async ([, args], { expect }) => {
  const output = await run(program, args)
  expect(output).not.toBe('')
  expect(output).not.toMatch(harmful)
})

test.concurrent.for([
  ['an option', [`--x${hostile}`]],
  ['a folder', [`bot${hostile}`]],
  ['a second folder', ['bot', `second${hostile}`]],
  ['a template', ['bot', '-t', hostile]],
] as const)('create-bot echoes %s without control characters', async ([, args], { expect }) => {
  const output = await run(creator, args)
  expect(output).not.toBe('')
  expect(output).not.toMatch(harmful)
})

test('framework check shows source lines and thrown errors without control characters', slow, async () => {
  await save('commands/bad.ts', `const x = "${hostile.replaceAll(/[\r\u2028]/g, '')}" +* 1\n`)
  const syntax = await run(program, ['check'])
  expect(syntax).toContain('commands/bad.ts')
  expect(syntax).not.toMatch(harmful)
  await save('commands/bad.ts', `throw new Error(${literal})\n`)
  const thrown = await run(program, ['check'])
  expect(thrown).toContain('\\u001b]52;c;ZXZpbA==')
  expect(thrown).not.toMatch(harmful)
})

test(
  'framework dev and routes show the output and definitions of the bot without control characters',
  { tags: ['all/processes'] },
  async () => {
    await save(
      'commands/bad.ts',
      `import { command } from '@botwright/framework'
     process.stdout.write('printed ' + ${literal} + ' end\\n')
     export default command({ description: ${literal}, run: () => 'x' })\n`,
    )
    const dev = await run(program, ['dev', '--port', '0'], /printed [\s\S]* end\n[\s\S]*\n$/)
    expect(dev).toContain('\\u001b]52;c;ZXZpbA==')
    expect(dev).not.toMatch(harmful)
    const routes = await Promise.all([run(program, ['routes']), run(program, ['routes', '--json'])])
    for (const output of routes) expect(output).not.toMatch(harmful)
  },
)

test('each field of the log of framework start is escaped and keeps its value as JSON', () => {
  let line = ''
  const log = createLog({ write: (text) => (line = text) })
  for (const level of ['info', 'warn', 'error'] as const) {
    log[level]({ name: hostile, [hostile]: [hostile], error: new Error(hostile) }, hostile)
    expect(line.trimEnd()).not.toMatch(harmful)
    expect(line.trimEnd()).not.toContain('\n')
    expect(JSON.parse(line)).toMatchObject({ msg: hostile, name: hostile, [hostile]: [hostile] })
  }
})

test('all output to a terminal is escaped', slow, async () => {
  // The program `framework` filters its output streams, including worker threads. All code that bypasses them is listed here.
  const writers = /\bconsole\.\w+\(|writeSync\(\s*[12]\b|fd: [12]\b|stdio: '?inherit|'inherit'|new Console\(/
  const found: string[] = []
  for (const file of await sourceFiles(checkout)) {
    const isOurs = /^(?:packages\/(?!workspace|site)[^/]+|create-bot)\/src\/.*\.tsx?$/.test(file)
    if (!isOurs || /\.test\.|\.fixture\.|\/page\//.test(file)) continue
    const code = (await readFile(join(checkout, file), 'utf8')).replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
    if (writers.test(code)) found.push(file)
  }
  expect(found.toSorted()).toEqual([
    // Escape what they write: functions have no program.
    'packages/framework/src/features/functions/console-log.ts',
    'packages/framework/src/features/functions/create-function-bot.ts',
    'packages/framework/src/features/functions/node-handler.ts',
    // Escapes each line itself.
    'packages/framework/src/program/log.ts',
    'packages/service/src/lib/log-failure.ts',
    // Each escapes its one line itself.
    'packages/testing/src/lib/own-work.ts',
    'packages/testing/src/lib/people/stage.ts',
    'packages/testing/src/lib/trace.ts',
  ])
})

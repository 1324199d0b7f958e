import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type * as Start from '../start.ts'
import { ownVersion } from '../runtime/own-package.ts'
import { ownCommands } from './commands.ts'
import type { CommandEntry } from '../program/command-entry.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

// The program as users run it: built.

const checkout = fileURLToPath(new URL('../../../..', import.meta.url))
const program = join(checkout, 'packages/framework/bin/framework.cjs')
let root: string

/** The command table of the built dev package. */
let commands: readonly CommandEntry[]
/** The built program. */
let captureIo: typeof Start.captureIo
let runProgram: typeof Start.runProgram

beforeAll(async () => {
  ;({ commands } = (await import(join(checkout, 'packages/dev/dist/index.js'))) as {
    commands: readonly CommandEntry[]
  })
  ;({ captureIo, runProgram } = (await import(
    join(checkout, 'packages/framework/dist/joined/start.js')
  )) as typeof Start)
  root = mkdtempSync(join(tmpdir(), 'botwright-cli-'))
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(join(checkout, 'node_modules/@botwright'), join(root, 'node_modules/@botwright'))
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Ended {
  code: number
  stdout: string
  stderr: string
}

async function run(
  args: string[],
  { cwd = root, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Ended> {
  const io = captureIo({ cwd, env: { ...process.env, ...env } })
  const code = await runProgram(args, io)
  return { code, stdout: io.stdout.text, stderr: io.stderr.text }
}

/** Runs it in a process of its own. */
const runProcess = (args: string[], env: Record<string, string>, cwd = root) =>
  new Promise<Ended>((resolve) =>
    execFile(process.execPath, [program, ...args], { cwd, env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  )

/** The names of the commands in the help. */
const commandsIn = (help: string): string[] =>
  [
    ...help
      .split('\n\nEveryday commands:')[1]!
      .split('\n\nExamples:')[0]!
      .matchAll(/^ {2}([a-z-]+) /gm),
  ].map(([, name]) => name!)

test('lists the commands of both packages in the help; each has its own help with an example', async () => {
  const { code, stdout } = await run(['--help'])
  expect(code).toBe(0)
  const names = commandsIn(stdout)
  expect([...names].sort()).toEqual(
    [...new Set([...ownCommands, ...commands, { name: 'help' }].map(({ name }) => name))].sort(),
  )
  expect(new Set(names).size).toBe(names.length)
  expect((await run(['help'])).stdout).toBe(stdout)
  expect((await run([])).stdout).toBe(stdout)
  const checkHelp = async (name: string) => {
    const [own, asked] = await Promise.all([run([name, '--help']), run(['help', name])])
    expect(own).toMatchObject({ code: 0, stderr: '' })
    expect(own.stdout).toMatch(new RegExp(`^Usage: framework ${name} `))
    expect(own.stdout).toMatch(new RegExp(`Examples:\\n +framework ${name}\\b`))
    expect(asked.stdout).toBe(own.stdout)
  }
  await Promise.all(names.filter((name) => name !== 'help').map(checkHelp))
})

test('exits with 2 and a suggestion for usage errors', async () => {
  const wrong = await run(['biuld'])
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toContain("unknown command 'biuld'\n(Did you mean build?)")
  expect((await run(['help', 'biuld'])).stderr).toBe(wrong.stderr)
  for (const args of [
    ['dev', '--prot', '1'],
    ['start', '--stat', 'x'],
    ['start', '--workers', '65'],
    ['start', '--workers', '0x2'],
    ['replay', 'x'],
    ['replay', '1', '--all'],
    ['dev', '--port', 'x'],
    ['build', 'extra', 'more'],
    ['service', '--memory', '--data', 'x.db'],
  ]) {
    const { code, stdout, stderr } = await run(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`(run "framework help ${args[0]}" for its options)`)
  }
})

test.each([
  ['replay', '#1042'],
  ['cluster', 'replay', '#1042', '--cluster', 'redis://127.0.0.1:1'],
  ['explain', '#1042'],
])('accepts the id of an event as histories show it: %s %s', async (...args) => {
  const cwd = mkdtempSync(join(root, 'ids-'))
  const end = await run(args, { cwd }).catch((error: unknown) => error)
  expect(end, 'not a usage error').not.toMatchObject({ code: 2 })
})

test('exits with 0 if the reader closes the pipe early', async () => {
  const child = spawn(process.execPath, [program, '--help'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  let stderr = ''
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test('fails if a configuration waits for something that cannot come', slow, async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'botwright-waits-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  mkdirSync(join(cwd, 'dist'))
  writeFileSync(join(cwd, 'dist/bot.config.mjs'), 'await new Promise(() => {})\nexport default {}')
  const manifest = { version: 1, entries: [], definitions: [], modules: {}, config: 'bot.config.mjs' }
  writeFileSync(join(cwd, 'dist/botwright.json'), JSON.stringify(manifest))
  expect(await runProcess(['state', 'list'], { BOT_TOKEN: 'none' }, cwd)).toEqual({
    code: 78,
    stdout: '',
    stderr: "the bot's code awaits a promise that never settles\n",
  })
})

test('prints the version', async () => {
  expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test.each([
  ['in UTF-16', Buffer.from('\uFEFF{}', 'utf16le'), 'is in UTF-16; save it as UTF-8'],
  ['that is not JSON', '{ "name": }', 'is not JSON ('],
])('names a package.json %s', async (_case, content, fact) => {
  const cwd = mkdtempSync(join(root, 'package-'))
  const file = join(cwd, 'package.json')
  writeFileSync(file, content)
  await expect(run(['check'], { cwd })).rejects.toMatchObject({
    code: 'ERR_CONFIG',
    message: expect.stringContaining(`${file}: ${fact}`),
  })
})

test('names the package of a dev command that is not installed', async () => {
  expect(await run(['dev'], { cwd: tmpdir() })).toMatchObject({
    code: 1,
    stderr: 'framework dev needs @botwright/dev: npm i -D @botwright/dev\n',
  })
  // A production install leaves it out, and must stay as it is.
  const production = mkdtempSync(join(tmpdir(), 'production-'))
  onTestFinished(() => rmSync(production, { recursive: true }))
  writeFileSync(join(production, 'package.json'), '{ "devDependencies": { "@botwright/dev": "^0.1.0" } }')
  expect((await run(['check'], { cwd: production })).stderr).toBe(
    `framework check needs @botwright/dev, which npm install --omit=dev leaves out: npm i --no-save @botwright/dev@${ownVersion()}\n`,
  )
  const { code, stdout } = await run(['--help'], { cwd: tmpdir() })
  expect(code).toBe(0)
  expect(stdout).toContain('All other commands come with @botwright/dev')
  expect(await run(['start', '--help'], { cwd: tmpdir() })).toMatchObject({ code: 0, stderr: '' })
  // Both packages have this command. The one of dev can do more.
  expect(await run(['replay', '--since', '2h'], { cwd: tmpdir() })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: unknown option '--since'\n[^]*\(more options come with @botwright\/dev: /),
  })
})

test('does not print default values of flags in the help', async () => {
  const { stdout } = await run(['replay', '--help'], { cwd: tmpdir() })
  expect(stdout).not.toMatch(/default: (?:false|\[\])/)
  expect(stdout).toContain('(default: ".botwright")')
})

test('prints one line for each problem of a start without a token or a build, and a link', async () => {
  const env = { BOT_TOKEN: '', BOT_BASE_URL: '' }
  const { code, stderr } = await run(['start'], { env })
  expect(code).toBe(78)
  expect(stderr).toMatch(
    /^BOT_TOKEN is not set: .*\nBOT_BASE_URL is not set: .*\n.*botwright\.json: .*\nMore about ERR_CONFIG: .*#err_config\n$/,
  )
  const missing = await run(['start'], { env: { BOT_TOKEN: 'a-long-token', BOT_BASE_URL: 'http://127.0.0.1:9/v1' } })
  expect(missing).toMatchObject({ code: 78 })
  expect(missing.stderr).toMatch(/^[^\n]*botwright\.json: [^\n]*; run "framework build"\nMore about ERR_CONFIG: \S+\n$/)
})

test.each([
  ['at load', "throw new Error('lost ' + process.env.BOT_TOKEN)"],
  ['in a timer', "setTimeout(() => { throw new Error('lost ' + process.env.BOT_TOKEN) }); await new Promise(() => {})"],
])('prints an unexpected error (%s) in full without secrets and exits with 1', slow, async (_when, text) => {
  const manifest = { version: 1, entries: [], definitions: [], modules: {}, config: 'bot.config.js' }
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(join(root, 'dist/botwright.json'), JSON.stringify(manifest))
  writeFileSync(join(root, 'dist/bot.config.js'), `${text}\nexport default {}`)
  const env = { BOT_TOKEN: 'a-very-secret-token', BOT_BASE_URL: 'http://127.0.0.1:9/v1' }
  const { code, stderr } = await runProcess(['start'], env)
  expect(code).toBe(1)
  expect(stderr).toMatch(/^Error: lost \[secret\]\n +at .*bot\.config\.js:1/)
  expect(stderr).toContain('npm bugs @botwright/framework')
  expect(stderr).not.toContain('very-secret')
})

import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startBot, readBuild } from '@botwright/framework/start'
import { readConfig } from '@botwright/framework'
import type { Timeline } from '@botwright/protocol/timeline'
import { defaultWorld, startService } from '@botwright/service'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { eventually, run } from '../program.test.fixture.ts'
import { startPerson } from '../test-person.fixture.ts'

// A bot in production that is recorded; its service no longer runs when the events are explained.

const checkout = fileURLToPath(new URL('../../../../..', import.meta.url))
const token = 'token-of-the-explained-bot'
let root: string

const save = async (file: string, text: string) => {
  await mkdir(dirname(join(root, file)), { recursive: true })
  await writeFile(join(root, file), text)
}

/** Runs the program with these arguments. */
async function framework(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { NO_COLOR: '1', BOT_TOKEN: token, BOT_BASE_URL: 'http://127.0.0.1:9/v1' }
  const { code, stdout, stderr } = await run(args, { cwd: root, env })
  return { code, out: stdout.trimEnd(), err: stderr }
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'botwright-explain-'))
  await mkdir(join(root, 'node_modules'))
  await symlink(join(checkout, 'node_modules/@botwright'), join(root, 'node_modules/@botwright'))
  await save('package.json', '{"type":"module"}')
  await save('bot.config.ts', 'export default { record: true }')
  await save(
    'commands/points.ts',
    `import { command, serverOnly } from '@botwright/framework'

export default command({
  guards: [serverOnly()],
  async run(ctx) {
    const points = await ctx.state.user.update('points', (now) => Number(now ?? 0) + 1)
    return \`you have \${String(points)}\`
  },
})
`,
  )
  await save(
    'commands/bad.ts',
    `// The first line.
export default async () => {
  throw new Error('no fuel')
}
`,
  )
  await save(
    'commands/secret.ts',
    "import { command, dmOnly } from '@botwright/framework'\nexport default command({ guards: [dmOnly()], run: () => 'secret' })",
  )
  expect(await framework('build')).toMatchObject({ code: 0 })
  await using service = await startService({ port: 0, world: defaultWorld('helper', token) })
  const ann = await startPerson(service.url, 'ann')
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const bot = await startBot({
    ...{ source: readBuild(join(root, 'dist'), root).source, config: await readConfig({ record: true }), token, log },
    ...{ baseUrl: service.base_url, stateDir: join(root, '.botwright') },
  })
  await ann.answerTo('/secret')
  expect(await ann.answerTo('/points')).toBe('you have 1')
  await ann.answerTo('/bad')
  await eventually(() => expect(bot.stats().finished).toBe(3))
  await bot.stop()
})

afterAll(() => rm(root, { recursive: true, force: true }))

/** The id in the line of an event. */
const idOf = (out: string, what: string): string => new RegExp(`#(\\d+)  ${what}`).exec(out)![1]!

test('lists the newest events', async () => {
  const { code, out } = await framework('explain')
  expect(code).toBe(0)
  expect(out.split('\n').map((line) => line.replace(/^\S+  #\d+  /, '').replace(/  [\d.]+ m?s  /, '  '))).toEqual([
    expect.stringMatching(/^\/secret  ann → #general  commands\/secret\.ts  refused: only in direct messages$/),
    expect.stringMatching(/^\/points  ann → #general  commands\/points\.ts  ok$/),
    expect.stringMatching(/^\/bad  ann → #general  commands\/bad\.ts  error: no fuel$/),
  ])
})

test('shows an event step by step, with the lines of its handler, its state and its answer', async () => {
  const id = idOf((await framework('explain')).out, '/points')
  const { code, out } = await framework('explain', id)
  expect(code).toBe(0)
  const steps = out.split('\n').flatMap((line) => /^ *[\d.]+ m?s  (.*?)(?:  [\d.]+ m?s)?$/.exec(line)?.[1] ?? [])
  // On a busy machine, an event waits for the one before it, or for its thread.
  expect(steps.filter((step) => !/^waited (?:in its queue|for a free handler)/.test(step))).toEqual([
    expect.stringMatching(/^received/),
    'matched commands/points.ts',
    'guard passed: only in servers',
    'handler commands/points.ts:5',
    expect.stringMatching(/^state user\.points \[\S+\] is not set$/),
    expect.stringMatching(/^state user\.points \[\S+\] = 1$/),
    'reply “you have 1”',
    'finished',
  ])
})

test('shows the code that failed, and the link to it', async () => {
  const { out } = await framework('explain', 'last')
  expect(out).toContain('commands/bad.ts:3  Error: no fuel')
  expect(out).toContain("  ▸ 3 │   throw new Error('no fuel')\n      │         ^")
  expect(out).toContain(`vscode://file${join(root, 'commands/bad.ts')}:3`)
  const json = await framework('explain', 'last', '--json')
  const timeline = JSON.parse(json.out) as Timeline
  expect(timeline).toMatchObject({ version: 1, result: 'error', failure: { at: 'commands/bad.ts:3', name: 'Error' } })
})

test('BOT_EDITOR_LINK names another editor, or none', async () => {
  const linkIn = async (template: string) => {
    vi.stubEnv('BOT_EDITOR_LINK', template)
    try {
      return (JSON.parse((await framework('explain', 'last', '--json')).out) as Timeline).failure?.link
    } finally {
      vi.unstubAllEnvs()
    }
  }
  expect(await linkIn('idea://open?file={file}&line={line}')).toBe(
    `idea://open?file=${join(root, 'commands/bad.ts')}&line=3`,
  )
  expect(await linkIn('')).toBeUndefined()
  expect(await linkIn('javascript:alert(1)')).toBeUndefined()
})

test('--again shows what the code would answer now', { tags: ['all/processes'] }, async () => {
  const before = await framework('explain', 'last', '--again')
  expect(before.out).toContain('with the current code: the same answer')
  const code = await readFile(join(root, 'commands/bad.ts'), 'utf8')
  await save('commands/bad.ts', "export default () => 'full'\n")
  const { code: exit, out } = await framework('explain', 'last', '--again')
  expect(exit).toBe(0)
  expect(out).toContain('with the current code: the error is fixed\n  reply “full”')
  const json = await framework('explain', 'last', '--again', '--json')
  expect(JSON.parse(json.out)).toMatchObject({ result: 'error', again: { verdict: 'fixed', result: 'ok' } })
  await save('commands/bad.ts', code)
})

test('names what is wrong with its arguments', async () => {
  expect(await framework('explain', '999')).toMatchObject({
    code: 1,
    err: expect.stringContaining('event 999 was never recorded, or is no longer kept; "framework explain" lists'),
  })
  expect(await framework('explain', '1x')).toMatchObject({ code: 2, err: expect.stringContaining('is a number') })
  expect(await framework('explain', '--again')).toMatchObject({ code: 2 })
})

test('writes one HTML file', async () => {
  const { code, out } = await framework('explain', '--html', 'all.html')
  expect({ code, out }).toEqual({ code: 0, out: `wrote ${join(root, 'all.html')}` })
  expect(await readFile(join(root, 'all.html'), 'utf8')).toMatch(/^<!doctype html>/)
})

import { existsSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDev, stop } from '../dev-process.test.fixture.ts'
import { untilPrinted } from '../program.test.fixture.ts'
import type { Running } from '../program.test.fixture.ts'
import { findService, PersonAtService } from './person.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/commands' } as const

const framework = JSON.stringify(new URL('../../../../framework/dist/index.js', import.meta.url).href)
const vitest = fileURLToPath(new URL('../../../../../node_modules/vitest', import.meta.url))
const files = {
  'commands/ping.ts': `import again from '../buttons/again.ts'
    export default () => ({ content: 'pong', components: [{ type: 'row', components: [again.button({ label: 'Again' })] }] })`,
  'buttons/again.ts': `import { button } from ${framework}
    export default button({ run: (ctx) => ctx.update('pong again') })`,
  'commands/count.ts': 'let count = 0; export default () => String(++count)',
  'commands/fails.ts': "export default () => { throw new Error('no tea') }",
}

let draft: BotDraft
let dev: Running
beforeAll(async () => {
  draft = await BotDraft.make(files)
  await symlink(vitest, join(draft.root, 'node_modules/vitest'))
  dev = await startDev(draft, ['--key'])
  await untilPrinted(dev, 'Chat')
})
afterAll(async () => {
  await stop(dev)
  await draft[Symbol.asyncDispose]()
})

async function run(...args: string[]) {
  const { code, stdout, stderr } = await draft.framework(args)
  return { code, output: stdout + stderr }
}

test('prints the time of the moved clocks, and the bot keeps running', async () => {
  expect(await run('clock', '+16m')).toEqual({
    code: 0,
    output: expect.stringMatching(
      /^the clocks of the service and of \S+ are now \d{4}-\S+ \S+ \(16 min later\)\nthe bot sent nothing, and no handler ended\n$/,
    ) as string,
  })
  const { output } = await run('clock', '1h', '--json')
  const { now, advanced_seconds } = JSON.parse(output) as { now: string; advanced_seconds: number }
  expect(advanced_seconds).toBe(3600)
  expect(Date.parse(now) - Date.now()).toBeGreaterThan(75 * 60_000)
  expect((await run('say', 'ann', '/ping')).code).toBe(0)
})

test('a fault affects only the next responses, and can be cleared', async () => {
  expect(await run('fault', 'post', '/channels/*', '500')).toEqual({
    code: 0,
    output: 'the next response to POST /v1/channels/*: 500\n',
  })
  expect(await run('say', 'ann', '/ping')).toMatchObject({
    code: 4,
    output: expect.stringContaining('the service answered 500') as string,
  })
  expect((await run('say', 'ann', '/ping')).code).toBe(0)
  const { output } = await run('fault', 'POST', '/v1/channels/*', 'close', '--times', '9', '--json')
  expect(JSON.parse(output)).toEqual({
    fault: { method: 'POST', path: '/v1/channels/*', times: 9, seconds: 1, then: 'close' },
  })
  expect(await run('fault', 'clear')).toEqual({ code: 0, output: 'all faults are cleared\n' })
  expect((await run('say', 'ann', '/ping')).code).toBe(0)
})

test('reset removes all messages, and the running bot answers the next one', async () => {
  await run('say', 'ann', '/ping')
  expect(await run('reset')).toMatchObject({ code: 0, output: expect.stringContaining('no messages') as string })
  expect((await run('click', 'ann', 'Again')).output).toContain('there is no button among the newest 100 messages')
  expect(await run('say', 'ann', '/ping')).toMatchObject({
    code: 0,
    output: expect.stringContaining('reply “pong”') as string,
  })
})

test.each([
  [['clock', 'soon'], 2, 'must be a duration, such as +16m'],
  [['fault', 'POST'], 2, 'a path and a fault are required'],
  [['fault', 'POST', '/me', 'broken'], 1, 'a fault must be a status such as 500, or close, cut, stall, slow'],
  [['fault', 'SEND', '/me', '500'], 1, 'method: must be'],
  [['fault', 'GET', '/me', 'slow', '--seconds', '9999'], 2, 'must be a number of seconds, up to 3600'],
  [['save-test', 'poll.ts'], 1, 'poll.ts: the name must end in .test.ts'],
  [['save-test', 'x.test.ts', '--in', 'nowhere'], 1, 'cannot see a channel "nowhere"'],
  [['save-test', 'x.test.ts', '--in', 'random'], 1, 'has received no message, click or reaction there'],
])('framework %j is rejected', async (args, code, text) => {
  expect(await run(...args)).toEqual({ code, output: expect.stringContaining(text) as string })
})

test('the error names a service without controls', inAll, async () => {
  const { startServiceChild } = await import('../local-service/service-child.ts')
  const child = await startServiceChild(['--port', '0', '--memory'])
  try {
    const { code, output } = await run('reset', '--service', child.page)
    expect({ code, output }).toMatchObject({ code: 1, output: expect.stringContaining('has no controls') as string })
  } finally {
    await child.stop()
  }
})

test('a saved conversation passes as a test', { tags: 'all/saved-tests' }, async () => {
  await run('reset')
  await run('say', 'bob', 'before')
  await run('say', 'ann', '/ping')
  await run('click', 'ann', 'Again')
  expect(await run('save-test', 'test/saved.test.ts', '--last', '2')).toEqual({
    code: 0,
    output: 'wrote test/saved.test.ts: 2 steps; it passes (npx vitest run test/saved.test.ts)\n',
  })
  const text = await readFile(join(draft.root, 'test/saved.test.ts'), 'utf8')
  expect(text).toContain("const folder = new URL('..', import.meta.url)")
  expect(text).toContain("expect(await ann.clicks('Again')).toHaveUpdated('pong again')")
  expect(text).not.toContain('before')
})

test('a saved conversation replaces a file only with --force', { tags: 'all/saved-tests' }, async () => {
  await run('reset')
  await run('say', 'bob', 'before')
  await run('say', 'ann', '/ping')
  await run('click', 'ann', 'Again')
  await run('save-test', 'test/kept.test.ts', '--no-run')
  expect(await run('save-test', 'test/kept.test.ts')).toMatchObject({
    code: 1,
    output: expect.stringContaining('already exists; pass another name, or --force') as string,
  })
  const again = await run('save-test', 'test/kept.test.ts', '--force', '--title', 'all', '--json')
  expect(JSON.parse(again.output)).toMatchObject({ title: 'all', steps: 3, answered: 2, failed: 0, passes: true })
  expect(existsSync(join(draft.root, 'x.test.ts'))).toBe(false)
})

test('--last counts messages and clicks, not the reactions between them', async () => {
  await run('reset')
  await run('say', 'bob', 'before')
  await run('say', 'ann', '/ping')
  await run('react', 'ann', '👍')
  const { output } = await run('save-test', 'reaction.test.ts', '--last', '1', '--no-run', '--json')
  const { steps, text } = JSON.parse(output) as { steps: number; text: string }
  expect({ steps, before: text.includes('before') }).toEqual({ steps: 2, before: false })
  expect(text).toMatch(/'\/ping'.*👍/s)
})

test(
  'a saved conversation that fails as a test is reported with the first error',
  { tags: 'all/saved-tests' },
  async () => {
    await run('say', 'ann', '/count')
    await run('say', 'ann', '/count')
    const { code, output } = await run('save-test', 'test/count.test.ts', '--last', '1')
    expect(code).toBe(1)
    expect(output).toMatch(
      /^wrote test\/count\.test\.ts: 1 step; it fails\n✘ .*expected the bot to reply "2"; .*replied "1".*\nThe test starts with empty state/s,
    )
    expect(await run('save-test', 'test/count.test.ts', '--last', '1', '--force', '--no-run')).toEqual({
      code: 0,
      output: 'wrote test/count.test.ts: 1 step; run it with npx vitest run test/count.test.ts\n',
    })
  },
)

test('a saved conversation with a failed handler is pointed out', { tags: 'all/saved-tests' }, async () => {
  await run('say', 'ann', '/fails')
  const { code, output } = await run('save-test', 'test/fails.test.ts', '--last', '1')
  expect({ code, output }).toEqual({
    code: 0,
    output: expect.stringContaining('! the handler failed in 1 of these steps') as string,
  })
})

test('direct messages are saved as direct messages', async () => {
  await run('dm', 'ann', '/ping')
  const { output } = await run('save-test', 'dm.test.ts', '--last', '1', '--no-run', '--json')
  const { text } = JSON.parse(output) as { text: string }
  expect(text).toContain("const ann = chat.person('ann').dm()")
  expect(text).toContain("const folder = new URL('.', import.meta.url)")
})

test('a saved conversation without an answer is pointed out', { tags: 'all/saved-tests' }, async () => {
  await run('say', 'bob', 'is anybody there?')
  expect(await run('save-test', 'test/silent.test.ts', '--last', '1')).toEqual({
    code: 0,
    output: expect.stringMatching(
      /^wrote .*\n! the bot answered none of these steps: the test only checks that no handler fails\n$/,
    ) as string,
  })
})

test('a bot that shares no server with the oldest person follows the clock, and its conversation can be saved', async () => {
  const service = await findService(draft.root, undefined)
  const ann = await PersonAtService.signIn(service, 'ann')
  const bob = await PersonAtService.signIn(service, 'bob')
  const { server, bots } = (await ann.servers())[0]!
  const bot_id = bots[0]!.id
  const { server: barn } = await bob.api.servers.create({ name: 'Barn' })
  // Only the owner of the bot can add it.
  await ann.api.servers.join({ server_id: barn.id })
  await run('role', 'ann', 'staff', 'Barn', '--permission', 'manage_server')
  await ann.api.servers.addBot({ server_id: barn.id, bot_id })
  await ann.api.servers.leave({ server_id: barn.id })
  await ann.api.servers.removeBot({ server_id: server.id, bot_id })
  const { code, output } = await run('clock', '+1m')
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('are now') as string })
  await run('say', 'bob', '/ping')
  const saved = await run('save-test', 'barn.test.ts', '--bot', bots[0]!.username, '--last', '1', '--no-run')
  expect(saved).toMatchObject({ code: 0, output: expect.stringContaining('1 step') as string })
  await bob.api.servers.removeBot({ server_id: barn.id, bot_id })
  expect((await run('clock', '+1m')).code).toBe(0)
  await run('reset')
})

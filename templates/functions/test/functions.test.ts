import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { defaultWorld, startService } from '@botwright/service'
import { joinChat } from '@botwright/testing'
import { afterAll, expect, test } from 'vitest'

// Each program runs in a process of its own, as in production, beside a chat service in the process of the test.

const root = fileURLToPath(new URL('..', import.meta.url))
const framework = 'node_modules/@botwright/framework/bin/framework.cjs'
const work = '.botwright/functions-test'
const patient = { timeout: 60_000 }

const children = new Set<ChildProcess>()
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(`${root}/${work}`, { recursive: true, force: true })
})

/** Runs a program in this folder. */
function run(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env } })
  children.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)))
  return { child, closed: once(child, 'close'), output: () => output }
}

async function build(...args: string[]): Promise<void> {
  const { closed, output } = run([framework, 'build', ...args])
  expect(await closed, output()).toEqual([0, null])
}

/** Two people talk to the bot. Returns the messages of #general. */
async function conversation(program: readonly string[], ready: RegExp): Promise<object[]> {
  await using service = await startService({ port: 0, world: defaultWorld('bot'), allowLoopbackWebhooks: true })
  const { id: bot_id, token } = service.world.bots['bot'] ?? { id: '', token: '' }
  const chat = joinChat(service, { bot: 'bot' })
  const [ann, bob] = [chat.person('ann'), chat.person('bob')]
  const { secret } = await ann.api.bots.setEventWebhook({ bot_id, url: 'http://127.0.0.1:9/' })
  const { child, closed, output } = run(program, {
    BOT_TOKEN: token ?? '',
    BOT_BASE_URL: service.base_url,
    BOT_WEBHOOK_SECRET: secret ?? '',
    PORT: '0',
    SCHEDULE_SECONDS: '0.2',
  })
  await expect.poll(output, patient).toMatch(ready)
  const url = /^listening on (.*)$/m.exec(output())?.[1]
  if (url !== undefined) await ann.api.bots.setEventWebhook({ bot_id, url })

  const steps: [() => Promise<unknown>, string][] = [
    [() => ann.posts('/ping'), 'Pong, ann!'],
    [() => ann.clicks('Again'), 'Pong × 1'],
    [() => bob.clicks('Again'), 'Pong × 2'],
    [() => bob.posts('/remind 1s water the plants'), 'I will remind you in 1 s.'],
    [() => Promise.resolve(), '⏰ water the plants'],
  ]
  const messages = async () => (await ann.sees()).map(({ content, components }) => ({ content, components }))
  for (const [act, text] of steps) {
    await act()
    await expect.poll(messages, patient).toContainEqual(expect.objectContaining({ content: text }))
  }
  child.kill('SIGTERM')
  await closed
  expect(output()).not.toContain('"level":"error"')
  // The service ends with this block.
  return await messages()
}

test('people see the same under Node and workerd as with framework start', { timeout: 300_000 }, async () => {
  await build('--out', `${work}/dist`)
  await build('--target', 'fetch', '--out', 'out')
  const start = [framework, 'start', `${work}/dist`, '--state', `${work}/state`]
  const expected = await conversation(start, /is ready/)
  expect(await conversation(['server.js'], /^listening on /m)).toEqual(expected)
  expect(await conversation(['local/workerd.js'], /^listening on /m)).toEqual(expected)
})

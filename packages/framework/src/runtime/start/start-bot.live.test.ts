import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AdvanceableClock, systemClock, VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { LOCK_WAIT_MS, lockFile } from '../../features/host-files/lock.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

const ping = "export default () => 'pong'"
const commandsCalls = (rig: ChatRig) =>
  fetch(`${rig.service.url}/controls/v1/journal`)
    .then((answer) => answer.json() as Promise<{ calls: { method: string; path: string }[] }>)
    .then((body) => JSON.stringify(body).match(/"PUT"[^}]*?\/commands/g)?.length ?? 0)

test.each(['inline', 'worker'] as const)('a bot answers a command (%s)', async (dispatcher) => {
  await using rig = await ChatRig.start()
  const bot = await rig.startBot({ 'commands/ping.ts': ping }, { dispatcher })
  await rig.says('ann', '/ping')
  await rig.until(async () => (await rig.texts()).includes('pong'))
  expect(rig.logged('info')).toContain('commands: + help, + ping')
  expect(bot.me.username).toBe('helper')
})

test('registers commands only if they differ, and logs the plan', inAll, async () => {
  await using rig = await ChatRig.start()
  const first = await rig.startBot({ 'commands/ping.ts': ping })
  await first.stop()
  expect(await commandsCalls(rig)).toBe(1)
  const second = await rig.startBot({ 'commands/ping.ts': ping })
  expect(await commandsCalls(rig)).toBe(1)
  expect(rig.logged('info')).toContain('commands: no change (2)')
  await second.replace(rig.source({ 'commands/ping.ts': "export default () => 'pang'" }))
  expect(await commandsCalls(rig)).toBe(1)
  await second.replace(rig.source({ 'commands/poll.ts': ping }))
  expect(rig.logged('info')).toContain('commands: + poll, - ping')
  expect(await commandsCalls(rig)).toBe(2)
})

test('an unknown token is reported with the host of the service', async () => {
  await using rig = await ChatRig.start()
  const { host } = new URL(rig.service.url)
  await expect(rig.startBot({}, { token: 'wrong-token-entirely' })).rejects.toMatchObject({
    code: 'ERR_UNAUTHORIZED',
    message: expect.stringContaining(`BOT_TOKEN is not accepted by ${host}`),
  })
})

test.concurrent.each([
  ['GET', '/v1/me', 408, 5],
  ['GET', '/v1/commands', 503, 5],
  ['GET', '/v1/commands', 'close', 5],
  ['GET', '/v1/commands', 429, 2],
  ['PUT', '/v1/commands', 502, 5],
] as const)('a start waits for a service that is not well: %s %s with %s', inAll, async (method, path, how, times) => {
  await using rig = await ChatRig.start()
  await rig.fault(method, path, { times, then: how === 'close' ? how : { status: how } })
  const clock = new AdvanceableClock(systemClock)
  let hasStarted = false
  const starting = rig.startBot({ 'commands/ping.ts': ping }, { clock }).finally(() => (hasStarted = true))
  await rig.until(() => hasStarted || (clock.advance(100), false))
  await starting
  expect(rig.logged('warn')).toContainEqual(expect.stringMatching(/is not responding yet .*; trying again in 0\.5 s$/))
  expect(rig.logged('info')).toContain('commands: + help, + ping')
  await rig.says('ann', '/ping')
  await rig.until(async () => (await rig.texts()).includes('pong'))
})

test.each([403, 404])('startup fails if the base URL is wrong (%d)', async (status) => {
  await using rig = await ChatRig.start()
  await rig.fault('GET', '/v1/me', { then: { status } })
  await expect(rig.startBot({})).rejects.toMatchObject({
    code: 'ERR_CONFIG',
    message: expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1:\\d+ answered ${status} .*BOT_BASE_URL`)) as string,
  })
})

test(
  'a second process of the same bot is rejected at once, with the process id of the first [spec: decisions/33]',
  inAll,
  async () => {
    await using rig = await ChatRig.start()
    const bot = await rig.startBot({ 'commands/ping.ts': ping })
    expect(LOCK_WAIT_MS).toBeLessThan(1000)
    // Nothing advances this clock: any other wait would never end.
    const clock = new VirtualClock()
    await expect(rig.startBot({ 'commands/ping.ts': ping }, { clock })).rejects.toMatchObject({
      code: 'ERR_ALREADY_RUNNING',
      message: expect.stringContaining(
        `"helper" is already running on this host as process ${process.pid}, on http://`,
      ),
    })
    const file = lockFile({ baseUrl: rig.service.base_url, botId: bot.me.id })
    expect(existsSync(file)).toBe(true)
    await bot.stop()
    expect(existsSync(file)).toBe(false)
  },
)

test('handles events that arrived while the bot was stopped', inAll, async () => {
  await using rig = await ChatRig.start()
  const first = await rig.startBot({ 'commands/ping.ts': ping })
  await first.stop()
  await rig.says('ann', '/ping')
  await rig.startBot({ 'commands/ping.ts': ping })
  await rig.until(async () => (await rig.texts()).includes('pong'))
})

test('stop waits for running handlers, and no event runs twice', inAll, async () => {
  await using rig = await ChatRig.start()
  const goOn = join(rig.root, 'go-on')
  const slow = `import { existsSync } from 'node:fs'
export default async () => {
  while (!existsSync(${JSON.stringify(goOn)})) await new Promise((resolve) => setTimeout(resolve, 5))
  return 'done'
}`
  const first = await rig.startBot({ 'commands/slow.ts': slow })
  await rig.says('ann', '/slow')
  await rig.until(() => first.stats().running === 1)
  const stopped = first.stop()
  writeFileSync(goOn, '')
  expect(await stopped).toEqual({ unfinished: 0 })
  const second = await rig.startBot({ 'commands/slow.ts': slow })
  await rig.says('ann', '/slow again')
  await rig.until(() => second.stats().finished === 1)
  expect((await rig.texts()).filter((text) => text === 'done')).toHaveLength(2)
})

test('loses no reply during many reloads, and each reply comes from one version', inAll, async () => {
  await using rig = await ChatRig.start()
  const files = (n: number) => ({
    'events/message.ts': `import { appendFileSync } from 'node:fs'
      export default (ctx) => appendFileSync(${JSON.stringify(rig.root)} + '/seen.txt', ctx.event.content + ' v${n}\\n')`,
  })
  const bot = await rig.startBot(files(0), { keepSpare: true })
  for (let n = 1; n <= 5; n++) {
    const replaced = bot.replace(rig.source(files(n)))
    for (let i = 0; i < 6; i++) await rig.says('ann', `m${n}-${i}`, `c${i}`)
    await replaced
  }
  await rig.until(() => bot.stats().finished === 30)
  expect(new Set(rig.read('seen.txt').map((line) => line.split(' ')[0])).size).toBe(30)
  expect(rig.read('seen.txt')).toHaveLength(30)
})

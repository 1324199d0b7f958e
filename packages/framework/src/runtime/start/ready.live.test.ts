import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

const files = { 'commands/ping.ts': "export default () => 'pong'" }
const readyLine = 'helper is ready: 1 handler'

/** The messages of the bot's log, in order. */
const logOf = (rig: ChatRig): string[] => rig.lines.map(({ message }) => message)

test('a bot is ready once its commands are registered, however long that takes', async () => {
  await using rig = await ChatRig.start()
  await rig.fault('PUT', '/v1/commands', { then: 'slow', seconds: 600 })
  let hasStarted = false
  const starting = rig.startBot(files).finally(() => (hasStarted = true))
  await rig.until(async () => (await rig.calls('GET', /\/events/)).length > 0)
  expect(logOf(rig)).not.toContain(readyLine)
  await rig.until(() => hasStarted || (rig.service.clock.advance(600_000), false))
  const bot = await starting
  expect(bot.ready).toBe(true)
  expect(logOf(rig).slice(-2)).toEqual(['commands: + help, + ping', readyLine])
})

test('a bot whose commands are refused runs, but is not ready until they are registered', inAll, async () => {
  await using rig = await ChatRig.start()
  await rig.fault('PUT', '/v1/commands', { then: { status: 400, body: { error: 'commands: no' } } })
  const hello = "export default (ctx) => ctx.reply('hello ' + ctx.author.name)"
  const bot = await rig.startBot({ ...files, 'events/message.ts': hello })
  expect(bot.ready).toBe(false)
  expect(logOf(rig).some((line) => line.includes('is ready'))).toBe(false)
  expect(rig.logged('warn')).toContain(
    'helper is running, but not ready: its commands are not registered. Fix what the error above names and restart the bot',
  )
  await rig.says('ann', 'hello')
  await rig.until(async () => (await rig.texts()).includes('hello ann'))
  await bot.replace(rig.source({ ...files, 'commands/poll.ts': "export default () => 'poll'" }))
  expect(bot.ready).toBe(true)
})

test(
  'a reload registers the commands again after a failed registration, although they are the same',
  inAll,
  async () => {
    await using rig = await ChatRig.start()
    const bot = await rig.startBot(files)
    await rig.fault('PUT', '/v1/commands', { then: { status: 400, body: { error: 'commands: no' } } })
    const poll = (text: string) => rig.source({ ...files, 'commands/poll.ts': `export default () => '${text}'` })
    await bot.replace(poll('first'))
    expect(bot.ready).toBe(false)
    await bot.replace(poll('second'))
    expect(bot.ready).toBe(true)
    expect((await bot.call('commands.list', {})).commands.map(({ name }) => name)).toContain('poll')
  },
)

test('a reload registers its commands although the signal of the start has ended', inAll, async () => {
  await using rig = await ChatRig.start()
  const startup = new AbortController()
  const bot = await rig.startBot(files, { signal: startup.signal })
  startup.abort(new Error('the time of the start is over'))
  await bot.replace(rig.source({ ...files, 'commands/poll.ts': "export default () => 'poll'" }))
  expect((await bot.call('commands.list', {})).commands.map(({ name }) => name)).toContain('poll')
})

test('a bot with a saved position is ready once the service has answered a poll', inAll, async () => {
  await using rig = await ChatRig.start()
  await (await rig.startBot(files)).stop()
  rig.lines.length = 0
  await rig.fault('GET', '/v1/events', { then: { status: 503 }, times: 2 })
  const clock = new VirtualClock(Date.now())
  let hasStarted = false
  const starting = rig.startBot(files, { clock }).finally(() => (hasStarted = true))
  await rig.until(async () => (await rig.calls('GET', /\/events/)).some(({ status }) => status === 503))
  await rig.until(() => logOf(rig).includes('commands: no change (2)'))
  expect(logOf(rig)).not.toContain(readyLine)
  // The next polls.
  await rig.until(async () => hasStarted || (await clock.advance(100), false))
  await starting
  expect(logOf(rig).at(-1)).toBe(readyLine)
})

test('a bot whose token is rejected by the first poll is not ready', async () => {
  await using rig = await ChatRig.start()
  await rig.fault('GET', '/v1/events', { then: { status: 401, body: { error: 'wrong token' } } })
  const bot = await rig.startBot(files)
  expect((await bot.ended).reason).toBe('unauthorized')
  expect(bot.ready).toBe(false)
  expect(logOf(rig)).not.toContain(readyLine)
})

test.each([
  ['health', (port: number) => ({ health: { port } })],
  ['webhook', (port: number) => ({ delivery: 'both' as const, webhook: { port } })],
])('a bot whose %s port is taken does not start and is not ready', inAll, async (name, configFor) => {
  await using rig = await ChatRig.start()
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  try {
    const config = configFor((other.address() as AddressInfo).port)
    await expect(rig.startBot(files, { config, webhookSecrets: ['a-secret-of-the-webhook'] })).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`^${name}: port`)) as string,
    })
    expect(logOf(rig)).not.toContain(readyLine)
  } finally {
    other.close()
  }
})

test('a bot whose worker is replaced logs once that events/ready.ts does not run again', inAll, async () => {
  await using rig = await ChatRig.start()
  const exits = 'export default (ctx) => { if (!ctx.redelivered) process.exit(1); return "back" }'
  const bot = await rig.startBot({ 'commands/exit.ts': exits, 'events/ready.ts': 'export default () => {}' })
  const missing = () => rig.logged('warn').filter((line) => line.startsWith('events/ready.ts: does not run again'))
  expect(missing()).toEqual([])
  for (const count of [1, 2]) {
    await rig.says('ann', '/exit')
    await rig.until(async () => (await rig.texts()).filter((text) => text === 'back').length === count)
    expect(missing()).toHaveLength(1)
  }
  await bot.stop()
})

test('a bot without events/ready.ts does not mention it when its worker is replaced', inAll, async () => {
  await using rig = await ChatRig.start()
  const exits = 'export default (ctx) => { if (!ctx.redelivered) process.exit(1); return "back" }'
  await rig.startBot({ 'commands/exit.ts': exits })
  await rig.says('ann', '/exit')
  await rig.until(async () => (await rig.texts()).includes('back'))
  expect(rig.lines.some(({ message }) => message.includes('ready.ts'))).toBe(false)
})

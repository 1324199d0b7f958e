import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { id, message } from '../../../tests/loaded-bot.test.fixture.ts'
import { durable, Restarts, texts, turns } from './restarts.test.fixture.ts'

// Questions and requests of several handlers, and the channels that they name.

test('a plain question replaces that of a durable run that was dropped, also after a restart', async () => {
  for (const restart of [false, true]) {
    const rig = new Restarts()
    const files = {
      'commands/go.ts': durable(`
        try { return 'durable got ' + (await ctx.ask('Days?', { timeout: '1h' })) }
        catch (error) { return 'durable ' + error.code }`),
      'commands/plain.ts': "export default async (ctx) => 'plain got ' + (await ctx.ask('Colour?'))",
      'events/message.ts': "export default (ctx) => 'heard ' + ctx.content",
    }
    let { bot, calls } = await rig.start(files)
    await bot.handle(message({ command: 'go' }))
    const other = message({ command: 'go', author_id: id(41) })
    await bot.handle(other)
    if (restart) ({ bot, calls } = await rig.start(files))
    else await rig.clock.advance(60_000)
    const before = calls.length
    const asked = bot.handle(message({ command: 'plain' }))
    await turns()
    await rig.wake(bot)
    await Promise.all([asked, bot.handle(message({ content: 'red' }))])
    await bot.handle(message({ content: 'lol' }))
    expect(texts(calls.slice(before))).toEqual(['Colour?', 'durable ERR_REPLACED', 'plain got red', 'heard lol'])
    // That of another person still waits.
    expect(await rig.store.list('run:key:')).toHaveLength(1)
  }
})

/** Calls of a bot in a server with these channels, and the messages in the channel of approvals. */
class Server {
  readonly channels: { id: string; name: string }[] = []
  readonly posted: Record<string, unknown>[] = []
  /** Whether posting never ends. */
  stalls = false
  readonly call = ((name: string, input: Record<string, unknown>) => {
    if (name === 'channels.listOfServer') return Promise.resolve({ channels: [...this.channels] })
    if (name === 'messages.list') return Promise.resolve({ messages: this.posted })
    if (name !== 'messages.create') return Promise.resolve({ ok: true })
    if (this.stalls) return new Promise(() => {})
    const facts = { author_id: id(1), created_at: '2026-01-01T00:00:00Z', id: id(500 + this.posted.length) }
    this.posted.push({ ...input, ...facts })
    return Promise.resolve(this.posted.at(-1))
  }) as unknown as Call

  get said() {
    return this.posted.map(({ content }) => content)
  }
}

const approve = (to: string) =>
  `ctx.approve({ in: '${to}', title: 'May I?', by: guard({ describe: 'x', refusal: '', check: () => true }), timeout: '3d' })`
const withKinds = (code: string) => code.replace('{ command }', '{ command, channel, guard }')

test('ctx.approve and ctx.ask look a name up again, because a channel may have been created since', async () => {
  const rig = new Restarts()
  const server = new Server()
  const files = {
    'commands/go.ts': withKinds(
      durable(`
        await ${approve('#board')}.catch((error) => ctx.reply(error.code))
        const found = await ctx.ask('Which?', { as: channel(), timeout: '1h' })
        await ctx.reply(found)
        return ${approve('#board')}`),
    ),
  }
  const { bot } = await rig.start(files, { call: server.call })
  await bot.handle(message({ command: 'go' }))
  await bot.handle(message({ content: 'board' }))
  server.channels.push({ id: id(70), name: 'board' })
  await bot.handle(message({ content: 'board' }))
  expect(server.said).toEqual(['ERR_INVALID_REQUEST', 'Which?', expect.stringMatching(/try again/i), id(70), 'May I?'])
  expect(server.posted.at(-1)).toMatchObject({ channel_id: id(70) })
})

test('a run whose process died while it posted a request does not take the equal one for which another run waits', async () => {
  const choose = "ctx.choose('May I?', ['a', 'b'])"
  for (const request of [approve(id(20)), choose]) {
    const rig = new Restarts()
    const server = new Server()
    const files = { 'commands/go.ts': withKinds(durable(`await ${request}`)) }
    const first = await rig.start(files, { call: server.call })
    await first.bot.handle(message({ command: 'go' }))
    expect(server.said).toEqual(['May I?'])
    server.stalls = true
    const second = message({ command: 'go', author_id: id(41) })
    void first.bot.handle(second)
    await turns()
    server.stalls = false
    const { bot } = await rig.start(files, { call: server.call })
    await bot.handle({ event: second.event, attempt: 2 })
    expect(server.said).toEqual(['May I?', 'May I?'])
    const keys = await rig.store.list('run:key:')
    expect(keys.map(({ key }) => key).sort()).toEqual([`run:key:click:${id(500)}`, `run:key:click:${id(501)}`])
  }
})

test('a run whose process died after it posted a request finds its own', async () => {
  const rig = new Restarts()
  const server = new Server()
  const files = { 'commands/go.ts': withKinds(durable(`await ${approve(id(20))}`)) }
  const { call } = server
  const lost = (async (...given: Parameters<Call>) => {
    await call(...given)
    return new Promise(() => {})
  }) as unknown as Call
  const first = await rig.start(files, { call: lost })
  const delivery = message({ command: 'go' })
  void first.bot.handle(delivery)
  await turns()
  const { bot } = await rig.start(files, { call })
  await bot.handle({ event: delivery.event, attempt: 2 })
  expect(server.said).toEqual(['May I?'])
})

test('a durable handler with a pattern has the same match after a restart', async () => {
  const rig = new Restarts()
  const files = {
    'events/message/bug.ts': `import { event } from 'botwright'
      export default event('message', { match: /BUG-(?<id>\\d+)/, durable: true, async run(ctx) {
        const first = ctx.match.groups.id
        await ctx.sleep('1d')
        return first + ' ' + ctx.match.groups.id
      } })`,
    'events/message/else.ts': `import { event } from 'botwright'
      export default event('message', { otherwise: true, run: () => 'else' })`,
  }
  const first = await rig.start(files)
  await first.bot.handle(message({ content: 'see BUG-7' }))
  const { bot, calls } = await rig.start(files)
  await rig.clock.advance(86_400_000)
  await rig.wake(bot)
  await turns()
  expect(texts(calls)).toEqual(['7 7'])
})

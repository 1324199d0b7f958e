import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep, systemClock, VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { ACK_AFTER_MS } from '../delivery/click-ack.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

/** The file that ends the wait of a handler. */
const goOn = (rig: ChatRig) => join(rig.root, 'go-on')

/** Posts a message with buttons as the bot; returns a function that clicks one of them. */
async function board(rig: ChatRig, bot: Awaited<ReturnType<ChatRig['startBot']>>, ids: string[]) {
  const channel_id = rig.channel('general')
  const buttons = ids.map((custom_id) => ({
    type: 'button' as const,
    style: 'primary' as const,
    label: custom_id,
    custom_id,
  }))
  const { id } = await bot.call('messages.create', {
    channel_id,
    content: `choose ${ids.join()}`,
    components: [{ type: 'row', components: buttons }],
  })
  return async (name: string, custom_id: string) => {
    const { interaction_id } = await rig.person(name).clicks.create({ channel_id, message_id: id, custom_id })
    return () => rig.person(name).clicks.get({ interaction_id })
  }
}

test('acknowledges a click after two seconds if its handler is slow, and still delivers the reply', async () => {
  await using rig = await ChatRig.start()
  const handler = `import { existsSync } from 'node:fs'
    export default async (ctx) => {
      while (ctx.event.custom_id === 'slow' && !existsSync(${JSON.stringify(goOn(rig))}))
        await new Promise((resolve) => setTimeout(resolve, 5))
      await ctx.reply('voted')
    }`
  const clock = new VirtualClock(Date.now())
  const bot = await rig.startBot({ 'events/interaction.ts': handler }, { clock })
  const click = await board(rig, bot, ['slow', 'quick'])
  const quick = await click('ann', 'quick')
  await rig.until(async () => (await quick()).answers.length === 1)
  const slow = await click('ann', 'slow')
  await rig.until(() => bot.stats().running === 1)
  // The service dates a click and its event one after the other.
  await clock.advance(ACK_AFTER_MS - 20)
  expect(bot.stats().acks).toBe(0)
  await clock.advance(20)
  expect(bot.stats().acks).toBe(1)
  await rig.until(async () => (await slow()).answers.length === 1)
  writeFileSync(goOn(rig), '')
  await rig.until(async () => (await slow()).answers.length === 2)
  expect((await slow()).answers.map((answer) => answer.type)).toEqual(['ack', 'reply'])
  expect((await quick()).state).toBe('answered')
  expect((await quick()).answers).toHaveLength(1)
})

test('acknowledges all clicks, queued ones too, while a handler blocks its thread', inAll, async () => {
  await using rig = await ChatRig.start(['ann', 'bob', 'carol'])
  const handler = `import { existsSync } from 'node:fs'
    const pause = new Int32Array(new SharedArrayBuffer(4))
    export default async (ctx) => {
      while (ctx.event.custom_id === 'block' && !existsSync(${JSON.stringify(goOn(rig))})) Atomics.wait(pause, 0, 0, 5)
      await ctx.reply('done')
    }`
  const clock = new VirtualClock(Date.now())
  const bot = await rig.startBot({ 'events/interaction.ts': handler }, { clock })
  const click = await board(rig, bot, ['block', 'other'])
  const states = [await click('ann', 'block'), await click('bob', 'other'), await click('carol', 'other')]
  await rig.until(() => bot.stats().received === 3)
  await clock.advance(ACK_AFTER_MS)
  const answered = async (count: number) =>
    (await Promise.all(states.map((state) => state()))).every(({ answers }) => answers.length === count)
  await rig.until(() => answered(1))
  writeFileSync(goOn(rig), '')
  await rig.until(() => answered(2))
  for (const state of states) {
    const { state: end, answers } = await state()
    expect([end, answers.map((answer) => answer.type)]).toEqual(['answered', ['ack', 'reply']])
  }
})

test.each([
  ['is refused, and the handler ignores that', { status: 403, body: { error: 'no' } }],
  ['gets a 429, and the handler ignores that', { status: 429, body: { error: 'no' } }],
  ['fails at the service, and the handler ignores that', { status: 500, body: { error: 'no' } }],
  ['waits for its retry', { status: 429, body: { error: 'no' }, headers: { 'retry-after': '30' } }],
])('acknowledges a click whose answer %s', inAll, async (_, then) => {
  await using rig = await ChatRig.start()
  const clock = new VirtualClock(Date.now())
  const handler = "export default (ctx) => ctx.reply('voted').catch(() => {})"
  let underWay = 0
  const traffic = (endpoint: string, change: 1 | -1) => {
    if (endpoint === 'interactions.callback') underWay += change
  }
  const bot = await rig.startBot({ 'events/interaction.ts': handler }, { clock, traffic })
  const click = await board(rig, bot, ['vote'])
  await rig.fault('POST', '/v1/interactions/*', { then })
  const state = await click('ann', 'vote')
  await rig.until(async () => (await rig.calls('POST', /interactions/)).length === 1)
  // The response to the answer arrives in real time.
  await rig.until(async () => {
    if (underWay === 0) await clock.advance(ACK_AFTER_MS / 20)
    return bot.stats().acks === 1
  })
  expect(clock.monotonic()).toBeLessThanOrEqual(3000)
  await rig.until(async () => (await state()).answers.some(({ type }) => type === 'ack'))
})

test('an answer that is under way after two seconds, and is accepted, is not followed by an ack', async () => {
  await using rig = await ChatRig.start()
  const clock = new VirtualClock(Date.now())
  const bot = await rig.startBot({ 'events/interaction.ts': "export default (ctx) => ctx.reply('voted')" }, { clock })
  const click = await board(rig, bot, ['vote'])
  await rig.fault('POST', '/v1/interactions/*', { then: 'slow', seconds: 600 })
  const state = await click('ann', 'vote')
  await rig.until(async () => (await state()).answers.length === 1)
  await clock.advance(ACK_AFTER_MS)
  rig.service.clock.advance(600_000)
  await rig.until(() => bot.stats().finished === 1)
  await clock.advance(1000)
  expect(bot.stats().acks).toBe(0)
  expect((await state()).answers.map(({ type }) => type)).toEqual(['reply'])
})

test('acknowledges a click two seconds after it was made, also if it arrives late', inAll, async () => {
  await using rig = await ChatRig.start()
  let held = Promise.resolve()
  const holdPoll = () => held
  const bot = await rig.startBot({ 'events/interaction.ts': 'export default () => {}' }, { holdPoll })
  const click = await board(rig, bot, ['vote'])
  await rig.says('ann', 'hello')
  await rig.until(() => bot.stats().received === 1)
  held = sleep(systemClock, 1500)
  const early = await click('ann', 'vote')
  await rig.until(() => bot.stats().received === 2)
  const late = await click('ann', 'vote')
  for (const state of [early, late]) {
    await rig.until(async () => (await state()).state !== 'waiting')
    expect((await state()).state).toBe('answered')
  }
})

test('a stop acknowledges a click whose answer is refused meanwhile', async () => {
  await using rig = await ChatRig.start()
  const handler = `export default async (ctx) => {
    const message = { channel_id: ctx.channel_id, id: ctx.event.message_id }
    await ctx.delete(message)
    await ctx.update('voted').catch(() => {})
  }`
  let underWay = 0
  const traffic = (endpoint: string, change: 1 | -1) => {
    if (endpoint === 'interactions.callback') underWay += change
  }
  const bot = await rig.startBot({ 'events/interaction.ts': handler }, { traffic })
  const click = await board(rig, bot, ['vote'])
  await rig.fault('POST', '/v1/interactions/*', { then: 'slow', seconds: 0.5 })
  const state = await click('ann', 'vote')
  await rig.until(() => underWay === 1)
  await bot.stop({ graceMs: 0 })
  expect((await state()).answers.map(({ type }) => type)).toEqual(['ack'])
})

test('a stop does not wait for an ack that fails, also if nothing moves the clock of the bot', async () => {
  await using rig = await ChatRig.start()
  const clock = new VirtualClock(Date.now())
  const bot = await rig.startBot({ 'events/interaction.ts': 'export default () => {}' }, { clock })
  const click = await board(rig, bot, ['vote'])
  await rig.fault('POST', '/v1/interactions/*', { then: { status: 503 } })
  await click('ann', 'vote')
  await rig.until(() => bot.stats().finished === 1)
  await bot.stop({ graceMs: 0 })
  expect(rig.logged('warn')).toEqual([expect.stringContaining('a click could not be acknowledged')])
})

test('a failed startup acknowledges the clicks that it has received', inAll, async () => {
  await using rig = await ChatRig.start()
  const files = { 'events/interaction.ts': 'export default () => new Promise(() => {})' }
  const stateDir = join(rig.root, 'state')
  const bot = await rig.startBot(files, { stateDir })
  const click = await board(rig, bot, ['vote'])
  await bot.stop()
  await click('ann', 'vote')
  // The registration of a new command is attempted again until the bot has received the click.
  await rig.fault('PUT', '/v1/commands', { then: { status: 503 }, times: 1000 })
  let polls = 0
  const traffic = (endpoint: string, change: 1 | -1) => {
    if (endpoint === 'events.list' && change === -1) polls++
  }
  const starting = rig.startBot({ ...files, 'commands/ping.ts': "export default () => 'pong'" }, { stateDir, traffic })
  const failure = starting.catch((error: unknown) => error)
  // The first poll asks for the newest id, the second one for the events.
  await rig.until(() => polls >= 2)
  // The answer to a click needs no token of the bot (§5).
  await rig.person('ann').bots.newToken({ bot_id: bot.me.id })
  await fetch(`${rig.service.url}/controls/v1/faults`, { method: 'DELETE' })
  await expect(failure).resolves.toMatchObject({ code: 'ERR_UNAUTHORIZED' })
  expect(await rig.callbacks()).toEqual(['ack'])
})

test('acknowledges a click again if the ack gets lost', inAll, async () => {
  await using rig = await ChatRig.start()
  const clock = new VirtualClock(Date.now())
  const bot = await rig.startBot({ 'events/interaction.ts': 'export default () => {}' }, { clock })
  const click = await board(rig, bot, ['vote'])
  await rig.fault('POST', '/v1/interactions/*', { then: { status: 503 }, times: 1 })
  const state = await click('ann', 'vote')
  await rig.until(() => bot.stats().received === 1)
  await clock.advance(ACK_AFTER_MS)
  await rig.until(async () => {
    await clock.advance(10)
    return (await state()).answers.length === 1
  })
  expect(clock.monotonic()).toBeLessThanOrEqual(3000)
  expect([bot.stats().acks, rig.logged('warn')]).toEqual([1, []])
})

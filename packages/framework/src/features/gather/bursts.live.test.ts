import { expect, test } from 'vitest'
import type { ObservedBot } from '../../runtime/ports/bot-facts.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

// Bursts on a real service. A command ends them, so no test waits for time.

const api = JSON.stringify(import.meta.resolve('@botwright/framework'))

const gathering = (run: string) => ({
  'events/message.ts': `import { event } from ${api}
const text = (ctx) => ctx.events.map((one) => one.content).join(' ')
export default event('message', { gather: { quiet: '1m', max: '2m' }, run: ${run} })`,
  'commands/ping.ts': "export default () => 'Pong'",
})
const replies = gathering("(ctx) => 'You wrote: ' + text(ctx)")

/** Waits until the bot holds this many events of open bursts. */
async function gathered(rig: ChatRig, bot: { stats(): { started: number; waiting: number } }, count: number) {
  await rig.until(() => bot.stats().started >= count && bot.stats().waiting === 0)
}

const isPong = async (rig: ChatRig, count = 1) => (await rig.texts()).filter((text) => text === 'Pong').length === count
const answers = async (rig: ChatRig) => (await rig.texts()).filter((text) => /^(Pong|You|New)/.test(text))

for (const dispatcher of ['inline', 'worker'] as const) {
  test(`${dispatcher}: a command runs after the burst before it`, async () => {
    await using rig = await ChatRig.start()
    await rig.startBot(replies, { dispatcher })
    for (const text of ['a', 'b', '/ping', 'c', '/ping']) await rig.says('ann', text)
    await rig.until(() => isPong(rig, 2))
    expect(await answers(rig)).toEqual(['You wrote: a b', 'Pong', 'You wrote: c', 'Pong'])
  })

  test(`${dispatcher}: after a stop, an open burst is gathered again`, slow, async () => {
    await using rig = await ChatRig.start()
    const first = await rig.startBot(replies, { dispatcher })
    await rig.says('ann', 'a')
    await rig.says('ann', 'b')
    await gathered(rig, first, 2)
    expect(await first.stop()).toEqual({ unfinished: 2 })
    expect(rig.logged('warn')).toEqual([])
    expect(rig.logged('info')).toContain('2 events waited for a burst or a durable run: they run when the bot starts')
    expect(await answers(rig)).toEqual([])
    const second = await rig.startBot(replies, { dispatcher })
    await rig.says('ann', '/ping')
    await rig.until(() => isPong(rig))
    expect(await second.stop()).toEqual({ unfinished: 0 })
    await rig.startBot(replies, { dispatcher })
    await rig.says('ann', '/ping')
    await rig.until(() => isPong(rig, 2))
    expect(await answers(rig)).toEqual(['You wrote: a b', 'Pong', 'Pong'])
  })

  test(`${dispatcher}: a stop counts late handlers apart from events of open bursts`, slow, async () => {
    await using rig = await ChatRig.start()
    const files = { ...replies, 'commands/stuck.ts': 'export default () => new Promise(() => {})' }
    const bot = await rig.startBot(files, { dispatcher })
    await rig.says('ann', '/stuck', 'random')
    for (const text of ['a', 'b', 'c']) await rig.says('ann', text)
    await gathered(rig, bot, 4)
    expect(await bot.stop({ graceMs: 50 })).toEqual({ unfinished: 4 })
    expect(rig.logged('warn')).toEqual([
      '1 handler did not finish within 0.05 s: their events run again when the bot starts',
    ])
    expect(rig.logged('info')).toContain('3 events waited for a burst or a durable run: they run when the bot starts')
  })

  test(`${dispatcher}: new code handles the whole burst`, slow, async () => {
    await using rig = await ChatRig.start()
    const bot = await rig.startBot(replies, { dispatcher })
    await rig.says('ann', 'a')
    await gathered(rig, bot, 1)
    await bot.replace(rig.source(gathering("(ctx) => 'New: ' + text(ctx)")))
    await rig.says('ann', 'b')
    await rig.says('ann', '/ping')
    await rig.until(() => isPong(rig))
    expect(await answers(rig)).toEqual(['New: a b', 'Pong'])
  })

  test(`${dispatcher}: a save that adds gather begins to gather`, slow, async () => {
    await using rig = await ChatRig.start()
    const bot = await rig.startBot({ 'commands/ping.ts': replies['commands/ping.ts'] }, { dispatcher })
    await bot.replace(rig.source(replies))
    for (const text of ['a', 'b', '/ping']) await rig.says('ann', text)
    await rig.until(() => isPong(rig))
    expect(await answers(rig)).toEqual(['You wrote: a b', 'Pong'])
  })

  test(`${dispatcher}: the answer that a handler waits for is not gathered`, slow, async () => {
    await using rig = await ChatRig.start()
    const ask = "export default async (ctx) => 'You are ' + (await ctx.ask('Who?'))"
    await rig.startBot({ ...replies, 'commands/who.ts': ask }, { dispatcher })
    await rig.says('ann', '/who')
    await rig.until(async () => (await rig.texts()).includes('Who?'))
    await rig.says('ann', 'Ann')
    await rig.until(async () => (await answers(rig)).length > 0)
    expect(await answers(rig)).toEqual(['You are Ann'])
  })
}

test('a burst whose handler ends its thread runs again as a whole', slow, async () => {
  await using rig = await ChatRig.start()
  await rig.startBot(gathering("(ctx) => { if (!ctx.redelivered) process.exit(3); return 'You wrote: ' + text(ctx) }"))
  for (const text of ['a', 'b', '/ping']) await rig.says('ann', text)
  await rig.until(() => isPong(rig))
  expect(await answers(rig)).toEqual(['You wrote: a b', 'Pong'])
})

test('all events of a burst that crashes its threads are set aside, and can be replayed', slow, async () => {
  await using rig = await ChatRig.start()
  let observed!: ObservedBot
  const observer = { began: (bot: ObservedBot) => void (observed = bot) }
  const bot = await rig.startBot(gathering('() => process.exit(3)'), { observer, keepSpare: true })
  for (const text of ['a', 'b', '/ping']) await rig.says('ann', text)
  await rig.until(() => isPong(rig))
  const aside = observed.deadLetters().map(({ event }) => event)
  expect(aside.map(({ data }) => data['content'])).toEqual(['a', 'b'])
  await bot.replace(rig.source(replies))
  for (const { id } of aside) await observed.replay(id)
  await gathered(rig, bot, 5)
  await rig.says('ann', '/ping')
  await rig.until(() => isPong(rig, 2))
  expect(await answers(rig)).toEqual(['Pong', 'You wrote: a b', 'Pong'])
  expect(observed.deadLetters()).toEqual([])
})

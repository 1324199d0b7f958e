import type { Call } from '@botwright/rest'
import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { deliver, id, message, start } from '../tests/loaded-bot.test.fixture.ts'
import { ownDelivery } from '../link/task-event.ts'
import type { Outcome } from '../link/ports.ts'
import { HandlerRuns } from './handler-runs.ts'

// Calls that a handler does not await: its event counts as handled after them.

/** A bot whose calls end when the test ends them. */
async function rig(files: Record<string, string>) {
  const ends: (() => void)[] = []
  const contents: unknown[] = []
  const call = ((_: string, { content }: { content?: string }) => {
    contents.push(content)
    return new Promise((resolve) => ends.push(() => resolve({ id: id(1), channel_id: id(20) })))
  }) as unknown as Call
  const outcomes: Outcome[] = []
  const { bot } = await start(files, {}, { call, observe: (one) => outcomes.push(one) })
  const turns = async () => {
    for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
  }
  return { bot, ends, contents, outcomes, turns }
}

test.each([
  ['a function', "export default (ctx) => { ctx.reply('a'); ctx.api.me.get() }"],
  ['an async function', "export default async (ctx) => { ctx.reply('a'); await 0; ctx.api.me.get() }"],
  ['a handler that throws', "export default async (ctx) => { ctx.reply('a'); ctx.api.me.get(); throw new Error('x') }"],
])('an event of %s is handled after the calls that its handler does not await', async (_, code) => {
  const { bot, ends, outcomes, turns } = await rig({ 'events/member_join.ts': code })
  let isHandled = false
  const running = bot.handle(deliver('member_join', { user_id: id(2), channel_id: id(20) }))
  void Promise.resolve(running).then(() => (isHandled = true))
  await turns()
  ends[0]!()
  await turns()
  expect([isHandled, outcomes]).toEqual([false, []])
  ends[1]!()
  await turns()
  expect([isHandled, outcomes.length]).toEqual([true, 1])
})

test('calls that follow each other are waited for', async () => {
  const code = "export default (ctx) => { ctx.reply('a').then(() => ctx.reply('b')) }"
  const { bot, ends, contents, outcomes, turns } = await rig({ 'commands/two.ts': code })
  void bot.handle(message({ command: 'two' }))
  await turns()
  ends[0]!()
  await turns()
  expect([contents, outcomes]).toEqual([['a', 'b'], []])
  ends[1]!()
  await turns()
  expect(outcomes).toHaveLength(1)
})

test('a user gets no apology for calls that go on after the handler', async () => {
  const { bot, ends, contents, turns } = await rig({
    'commands/left.ts': "export default (ctx) => { ctx.reply('a') }",
    'commands/slow.ts': "export default async (ctx) => { await ctx.reply('b') }",
  })
  for (const command of ['left', 'slow']) {
    const delivery = message({ command })
    void bot.handle(delivery)
    await turns()
    await Promise.race([bot.apologize(delivery, 'took_too_long'), turns()])
  }
  expect(contents).toEqual(['a', 'b', 'That took too long.'])
  for (const end of ends) end()
})

test('a task and events/ready.ts end after their calls', async () => {
  const sends = `(ctx) => { ctx.send('${id(20)}', 'a') }`
  const { bot, ends, outcomes, turns } = await rig({
    'tasks/daily.ts': `import { task } from 'botwright'\nexport default task({ run: ${sends} })`,
    'events/ready.ts': `export default ${sends}`,
  })
  const run = { task: 'daily', scheduledAtMs: 0, retry: false }
  let ended = 0
  void Promise.resolve(bot.handle(ownDelivery('task', run, 0, false))).then(() => ended++)
  void bot.lifecycle('ready').then(() => ended++)
  await turns()
  expect([ended, outcomes]).toEqual([0, []])
  for (const end of ends) end()
  await turns()
  expect([ended, outcomes.length]).toEqual([2, 1])
})

test('the log names calls that do not end after their handler, and not the handler', async () => {
  const { bot, ends, turns } = await rig({
    'commands/left.ts': "export default (ctx) => { ctx.reply('a') }",
    'commands/slow.ts': "export default async (ctx) => { await ctx.reply('b') }",
  })
  const clock = new VirtualClock()
  const lines: string[] = []
  const log = { error: (_: object, line: string) => void lines.push(line) } as never
  const runs = new HandlerRuns({ clock, log, limitMs: 1000 })
  for (const command of ['left', 'slow']) void runs.run(bot, message({ command }))
  await turns()
  await clock.advance(1000)
  expect(lines.map((line) => line.replace(/ \(event.*/, ''))).toEqual([
    'commands/left.ts: calls that it does not await did not end within 1 s',
    'commands/slow.ts: did not end within 1 s',
  ])
  for (const end of ends) end()
})

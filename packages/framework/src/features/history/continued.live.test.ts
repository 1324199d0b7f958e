// Durable runs that continue from their record, because they were dropped while they waited or the bot restarted, on the real service.

import { join } from 'node:path'
import { systemClock } from '@botwright/clock'
import type { Timeline } from '@botwright/protocol/timeline'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { History } from './history.ts'
import { timelineOf } from './timeline.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const index = new URL('../../../dist/index.js', import.meta.url).href
const files = {
  'commands/order.ts': `import { command, guard } from '${index}'
export default command({
  description: 'Orders', durable: true,
  run: async (ctx) => {
    const what = await ctx.ask('What?', { timeout: '1h' })
    await ctx.step('book', () => 1)
    await ctx.sleep('300ms')
    const by = guard({ describe: 'anyone', check: () => true, refusal: 'no' })
    const { approved } = await ctx.approve({ in: '#general', by, title: 'Order ' + what })
    return approved + ' ' + what
  },
})`,
  'events/message.ts': 'export default () => {}',
}

const read = (rig: ChatRig) => {
  using history = new History(join(rig.root, 'state/history.db'))
  return history.events()
}
const timelines = (rig: ChatRig) => read(rig).map(timelineOf)
/** Without what depends on the load of the machine, and on where the rig puts its files. */
const wordsOf = ({ steps }: Timeline) =>
  steps
    .filter(({ kind }) => kind !== 'queued')
    .map(({ text }) => text.replace(/build-\d+\//, '').replace('.mjs:', '.ts:'))
const has = (rig: ChatRig, text: string) => rig.until(async () => (await rig.texts()).includes(text))
/** Waits until the newest event of the recording has this result. */
const recorded = (rig: ChatRig, result: string) => rig.until(() => Promise.resolve(read(rig).at(-1)?.result === result))
/** Waits until the recording shows that the first event waits for a decision: its message is in the record of the run then. */
const awaitsDecision = (rig: ChatRig) =>
  rig.until(() =>
    Promise.resolve(
      timelines(rig)[0]!.steps.some((step) => step.kind === 'wait' && step.for === 'approval' && step.ms === undefined),
    ),
  )
const at = (line: number) => `at commands/order.ts:${line}`
const began = [
  'received',
  'matched commands/order.ts',
  'handler commands/order.ts',
  'reply “What?”',
  `waited for an answer from ann in #general (ctx.ask ${at(5)})`,
]
const goesOn = (run: number, answer: number) => [
  `run ${run} of commands/order.ts continued from its record for event ${answer}`,
  `ran the step "book" (ctx.step ${at(6)})`,
  `slept 300 ms (ctx.sleep ${at(7)})`,
]

test.each(['inline', 'worker'] as const)(
  'an answer after a restart is passed to the run, whose further steps are recorded for its event (%s)',
  slow,
  async (dispatcher) => {
    await using rig = await ChatRig.start()
    const options = { dispatcher, stateDir: join(rig.root, 'state'), config: { record: true as const } }
    let bot = await rig.startBot(files, options)
    await rig.says('ann', '/order')
    await has(rig, 'What?')
    await bot.stop()
    bot = await rig.startBot(files, options)
    await rig.says('ann', 'ink')
    await has(rig, 'Order ink')
    await recorded(rig, 'passed')
    await awaitsDecision(rig)
    await bot.stop()
    bot = await rig.startBot(files, options)
    await rig.clicks()
    await has(rig, 'true ink')
    await recorded(rig, 'passed')
    await bot.stop()

    const [order, answer, click] = timelines(rig)
    const [{ id: run }, { id: ink }] = [order!.event, answer!.event]
    expect(order).toMatchObject({ result: 'ok', file: 'commands/order.ts' })
    expect(wordsOf(order!)).toEqual([
      ...began,
      ...goesOn(run, ink),
      expect.stringContaining('channels.listOfServer'),
      'send “Order ink” [Approve] [Decline]',
      `waited for a click in #general (ctx.approve ${at(9)})`,
      expect.stringMatching(/^run \d+ of commands\/order\.ts continued from its record/),
      expect.stringMatching(/^update “Order ink \*\*Approve/),
      'reply “true ink”',
      'finished',
    ])
    // The time without the bot is in the wait.
    for (const step of order!.steps) if (step.kind === 'wait') expect(step.ms).toBeDefined()
    const passed = `passed to run ${run} of commands/order.ts, which waited for it`
    expect(answer).toMatchObject({ result: 'passed', file: 'commands/order.ts' })
    // The sleep may have ended before the answer did.
    const beyondSleep = /^(?:channels\.listOfServer|send “Order ink”|waited for a click)/
    expect(wordsOf(answer!).filter((text) => !beyondSleep.test(text))).toEqual([
      ...['received', passed, ...goesOn(run, ink)],
      'ended: a waiting handler received it',
    ])
    expect(click).toMatchObject({ result: 'passed', event: { title: 'click Approve' } })
    // The end of the sleep may have continued the run before the click.
    expect(
      wordsOf(click!)
        .filter((text) => !text.includes('continued from its record'))
        .slice(1),
    ).toEqual([
      passed,
      expect.stringMatching(/^update “Order ink/),
      'reply “true ink”',
      'ended: a waiting handler received it',
    ])
    // Tokens of clicks are in no recording.
    expect(JSON.stringify(read(rig))).not.toMatch(/"token":"(?!\[)/)
  },
)

test('an answer to a run that was dropped while it waited is passed to it', async () => {
  await using rig = await ChatRig.start()
  let isDropped = false
  /** Drops runs after 50 ms of waiting, instead of 30 s. Other timers of the same length stay as they are. */
  const clock = {
    ...{ now: () => systemClock.now(), monotonic: () => systemClock.monotonic() },
    after: (ms: number, fire: () => void, options?: { keepAlive?: boolean }) => {
      if (ms !== 30_000 || !new Error('here').stack!.includes('#waits')) return systemClock.after(ms, fire, options)
      return systemClock.after(50, () => ((isDropped = true), fire()), options)
    },
  }
  const options = {
    dispatcher: 'inline' as const,
    stateDir: join(rig.root, 'state'),
    config: { record: true as const },
  }
  const bot = await rig.startBot(files, { ...options, clock })
  await rig.says('ann', '/order')
  await has(rig, 'What?')
  await rig.until(() => isDropped)
  await rig.says('ann', 'ink')
  await has(rig, 'Order ink')
  await recorded(rig, 'passed')
  await bot.stop()
  const [order, answer] = timelines(rig)
  expect(order!.result).toBe('unfinished')
  expect(wordsOf(order!).slice(0, 8)).toEqual([...began, ...goesOn(order!.event.id, answer!.event.id)])
  expect(answer).toMatchObject({ result: 'passed', file: 'commands/order.ts' })
  expect(wordsOf(answer!)).toEqual(expect.arrayContaining(goesOn(order!.event.id, answer!.event.id)))
})

test('an answer to a run whose event is no longer recorded has a row of its own', slow, async () => {
  await using rig = await ChatRig.start()
  const stateDir = join(rig.root, 'state')
  let bot = await rig.startBot(files, { stateDir })
  await rig.says('ann', '/order')
  await has(rig, 'What?')
  await bot.stop()
  bot = await rig.startBot(files, { stateDir, config: { record: true } })
  await rig.says('ann', 'ink')
  await has(rig, 'Order ink')
  await bot.stop()
  const [answer, order] = timelines(rig)
  expect(answer).toMatchObject({ result: 'passed', file: 'commands/order.ts' })
  expect(order).toMatchObject({ result: 'unfinished', event: { title: '/order' } })
  const [continued, ...others] = goesOn(order!.event.id, answer!.event.id)
  expect(wordsOf(order!).slice(0, 4)).toEqual([continued, began.at(-1), ...others])
})

test('an answer to a handler that has waited in memory names it too', slow, async () => {
  await using rig = await ChatRig.start()
  const ask = { 'commands/ask.ts': "export default async (ctx) => 'Hi ' + (await ctx.ask('Who?'))" }
  const bot = await rig.startBot(ask, { stateDir: join(rig.root, 'state'), config: { record: true } })
  await rig.says('ann', '/ask')
  await has(rig, 'Who?')
  await rig.says('ann', 'Bob')
  await has(rig, 'Hi Bob')
  await bot.stop()
  const [asked, answer] = timelines(rig)
  expect(answer).toMatchObject({ result: 'passed', file: 'commands/ask.ts' })
  expect(wordsOf(answer!)).toEqual([
    'received',
    `passed to the handler of event ${asked!.event.id} in commands/ask.ts, which waited for it`,
    'reply “Hi Bob”',
    'ended: a waiting handler received it',
  ])
})

import { join } from 'node:path'
import { AdvanceableClock, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { History } from './history.ts'
import { timelineOf } from './timeline.ts'
import { stepTexts } from './step-texts.test.fixture.ts'

const framework = new URL('../../../dist/index.js', import.meta.url).href

const files = {
  'tasks/tea.ts': `import { task } from '${framework}'
export default task({
  retry: { errors: 1, after: '10s' },
  run: async (ctx) => {
    await ctx.send(ctx.payload, 'Tea?')
    throw new Error('no tea')
  },
})`,
  'tasks/milk.ts': `export default (ctx) => ctx.log.info('milk')`,
  'commands/brew.ts': `export default async (ctx) => {
    for (const name of ['tea', 'milk']) await ctx.schedule(name, { in: 0 }, ctx.channel_id)
    return 'brewing'
  }`,
}

test.each(['inline', 'worker'] as const)(
  'runs of tasks are recorded with their errors and lines (%s)',
  async (dispatcher) => {
    await using rig = await ChatRig.start()
    const clock = new AdvanceableClock(systemClock)
    const bot = await rig.startBot(files, { dispatcher, clock, config: { record: true } })
    await rig.says('ann', '/brew')
    await rig.until(() => rig.logged('warn').join().includes('runs again in 10 s'))
    clock.advance(10_000)
    await rig.until(() => rig.logged('error').join().includes('is set aside after 2 attempts: '))
    await bot.stop()
    using history = new History(join(rig.root, '.botwright/history.db'))
    const [first, last, ...more] = history.events({ task: 'tea' })
    expect(more).toEqual([])
    expect(first).toMatchObject({
      ...{
        type: 'task',
        file: 'tasks/tea.ts',
        result: 'error',
        error: 'no tea',
        at: expect.stringMatching(/tasks\/tea\.mjs:6$/) as unknown,
      },
      calls: [{ name: 'messages.create' }],
    })
    expect(last).toMatchObject({ result: 'error', data: { task: 'tea', isLast: true } })
    const timeline = timelineOf(last!)
    const { event, failure } = timeline
    expect(event.title).toBe('task tea')
    expect(stepTexts(timeline)).toEqual([
      'received, attempt 2',
      'handler tasks/tea.ts',
      'send “Tea?”',
      'failed: no tea',
    ])
    expect(failure).toMatchObject({ at: expect.stringMatching(/tasks\/tea\.mjs:6$/) as unknown, message: 'no tea' })
    expect(history.events({ task: 'milk' })).toMatchObject([{ result: 'ok', file: 'tasks/milk.ts' }])
  },
)

import { AdvanceableClock, systemClock } from '@botwright/clock'
import { expect, expectTypeOf, test } from 'vitest'
import { ChatRig } from '../../../tests/chat-rig.test.fixture.ts'
import { z } from 'zod'
import { type RetryOptions, task } from '../task.ts'
import type { Outcome } from '../../../link/ports.ts'
import { taskStates } from './task-states.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const framework = new URL('../../../../dist/index.js', import.meta.url).href

const files = {
  'tasks/reminders.ts': `import { task } from '${framework}'
    export default task({ run: (ctx) => ctx.send(ctx.payload.channel, 'Reminder: ' + ctx.payload.text) })`,
  'commands/remind.ts': `import reminders from '../tasks/reminders.mjs'
    export default async (ctx) => {
      const [ms, text] = ctx.typed.split(' ')
      await reminders.schedule(ctx, { in: Number(ms) }, { channel: ctx.channel_id, text })
      return (await ctx.scheduled('reminders')).map((one) => one.payload.text).join(', ') || 'none'
    }`,
}

test.each(['inline', 'worker'] as const)(
  'a task that a handler schedules runs after a restart (%s)',
  async (dispatcher) => {
    await using rig = await ChatRig.start()
    const clock = new AdvanceableClock(systemClock)
    const first = await rig.startBot(files, { dispatcher, clock })
    await rig.says('ann', '/remind 0 now')
    await rig.until(async () => (await rig.texts()).includes('Reminder: now'))
    await rig.says('ann', '/remind 600000 tea')
    await rig.until(async () => (await rig.texts()).includes('tea'))
    await first.stop()
    expect(await rig.texts()).not.toContain('Reminder: tea')
    await rig.startBot(files, { dispatcher, clock })
    clock.advance(600_000)
    await rig.until(async () => (await rig.texts()).includes('Reminder: tea'))
    expect(rig.logged('error')).toEqual([])
  },
)

const retried = (retry: boolean, body: string) => ({
  'tasks/reminder.ts': `import { task } from '${framework}'
    export default task({ retry: ${retry}, run: async (ctx) => { ${body} } })`,
  'commands/remind.ts':
    "export default (ctx) => ctx.schedule('reminder', { in: 600_000 }, ctx.channel_id).then(() => 'scheduled')",
})

test.each(['inline', 'worker'] as const)(
  'a task with retry: true whose message was answered with 500 sends it again (%s)',
  slow,
  async (dispatcher) => {
    await using rig = await ChatRig.start()
    const clock = new AdvanceableClock(systemClock)
    const outcomes: Outcome[] = []
    const observer = { outcome: (outcome: Outcome) => void outcomes.push(outcome) }
    const files = retried(true, "await ctx.send(ctx.payload, ctx.redelivered ? 'again' : 'first')")
    await rig.startBot(files, { dispatcher, clock, observer })
    await rig.says('ann', '/remind')
    await rig.until(async () => (await rig.texts()).includes('scheduled'))
    await rig.fault('POST', '/v1/channels/*', { then: { status: 500 } })
    clock.advance(600_000)
    await rig.until(() => rig.logged('warn').some((line) => line.endsWith('failed and runs again in 10 s')))
    expect(rig.logged('error')).toEqual([expect.stringMatching(/tasks\/reminder.*: messages.create: .* answered 500/)])
    expect(outcomes.at(-1)).toMatchObject({ result: 'error', again: true })
    expect(await rig.texts()).not.toContain('first')
    clock.advance(10_000)
    await rig.until(async () => (await rig.texts()).includes('again'))
    await rig.until(() => outcomes.at(-1)?.result === 'ok')
    expect(outcomes.at(-1)).not.toHaveProperty('again')
  },
)

test('a message with an unknown outcome is sent once by a task without retry: true', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const bot = await rig.startBot(retried(false, "await ctx.send(ctx.payload, 'tea')"), { dispatcher: 'inline', clock })
  await rig.says('ann', '/remind')
  await rig.until(async () => (await rig.texts()).includes('scheduled'))
  await rig.fault('POST', '/v1/channels/*', { then: 'cut' })
  clock.advance(600_000)
  await rig.until(() => rig.logged('error').length > 0)
  for (let n = 0; n < 5; n++) clock.advance(600_000)
  await bot.stop()
  expect((await rig.texts()).filter((text) => text === 'tea')).toHaveLength(1)
  expect(rig.logged('warn').filter((line) => line.includes('runs again'))).toEqual([])
})

test.each([
  ['ends its thread each time', 'process.exit(1)', /is set aside: its handler crashed its worker 3 times$/],
  ['exceeds its time limit', 'await new Promise(() => {})', /is set aside after 4 attempts: .* within 1 s$/],
])('a task with retry: true that %s is set aside', slow, async (_, body, reason) => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const config = { limits: { handlerSeconds: 1 } }
  const bot = await rig.startBot(retried(true, body), { clock, config })
  await rig.says('ann', '/remind')
  await rig.until(async () => (await rig.texts()).includes('scheduled'))
  // A command that has not ended would run again after the crash, and schedule another run.
  await rig.until(() => bot.stats().finished > 0)
  clock.advance(600_000)
  await rig.until(() => {
    if (rig.logged('warn').at(-1)?.includes('runs again in') === true) clock.advance(600_000)
    return rig.logged('error').some((line) => reason.test(line))
  })
  // The run leaves the schedule after it is set aside.
  const stateNow = async () => (await taskStates(bot.code.definitions, { store: bot.store, nowMs: clock.now() })).at(0)
  await rig.until(async () => (await stateNow())?.scheduled === 0)
  expect(await stateNow()).toEqual({ name: 'reminder', file: 'tasks/reminder.ts', scheduled: 0, setAside: 1 })
})

test('an attempt days later does not repeat the work of ctx.once', slow, async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const note = (text: string) => `appendFileSync('${rig.root}/notes.txt', '${text}\\n')`
  const files = {
    'tasks/report.ts': `import { appendFileSync } from 'node:fs'
      import { task } from '${framework}'
      export default task({ retry: { errors: 1, after: '5d' }, run: async (ctx) => {
        await ctx.once('pay', () => ${note('paid')})
        ${note('failed')}
        throw new Error('no network')
      } })`,
    'commands/report.ts': "export default (ctx) => ctx.schedule('report', { in: 0 }).then(() => 'scheduled')",
  }
  await rig.startBot(files, { clock })
  await rig.says('ann', '/report')
  await rig.until(() => rig.logged('warn').some((line) => line.includes('failed and runs again in 5 days')))
  clock.advance(5 * 24 * 3_600_000)
  await rig.until(() => rig.logged('error').some((line) => line.includes('is set aside after 2 attempts')))
  expect(rig.read('notes.txt')).toEqual(['paid', 'failed', 'failed'])
})

test('a message in ctx.once whose call is aborted by the time limit is not sent again', slow, async () => {
  await using rig = await ChatRig.start()
  const files = {
    'tasks/notice.ts': `import { task } from '${framework}'
      export default task({ retry: { errors: 1, after: '1s' }, run: async (ctx) => {
        const content = ctx.redelivered ? 'paid again' : 'paid'
        const post = () => ctx.api.messages.create({ channel_id: ctx.payload, content }, { signal: ctx.signal })
        await ctx.once('post', () => post().then(({ id }) => id))
      } })`,
    'commands/notice.ts': `export default (ctx) => ctx.schedule('notice', { in: 0 }, '${rig.channel('random')}').then(() => 'scheduled')`,
  }
  await rig.startBot(files, { config: { limits: { handlerSeconds: 1 } } })
  // The message is visible, and its response is late.
  await rig.fault('POST', `/v1/channels/${rig.channel('random')}/messages`, { then: 'slow', seconds: 600 })
  await rig.says('ann', '/notice')
  await rig.until(() => rig.logged('error').some((line) => line.includes('is set aside after 2 attempts')))
  expect(await rig.texts('random')).toEqual(['paid'])
  expect(rig.logged('error').join()).toContain('an earlier run of this event was interrupted here')
})

test('a recurring task runs in a worker with its state, and reloaded code changes it', slow, async () => {
  await using rig = await ChatRig.start()
  const code = (mark: string) => ({
    'tasks/beat.ts': `import { appendFileSync } from 'node:fs'
      import { task } from '${framework}'
      export default task({ every: '1s', run: async (ctx) => {
        const n = await ctx.state.bot.update('beats', (n) => (n ?? 0) + 1)
        appendFileSync(${JSON.stringify(rig.root)} + '/beats.txt', '${mark}' + n + ' ' + ctx.name + ' ' + (ctx.scheduledAt instanceof Date) + '\\n')
        if (n === 1) throw new Error('thrown on purpose')
      } })`,
    'commands/x.ts': "export default () => 'x'",
  })
  const clock = new AdvanceableClock(systemClock)
  const bot = await rig.startBot(code('a'), { clock })
  clock.advance(1000)
  await rig.until(() => rig.logged('error').length > 0)
  expect(rig.logged('error')).toEqual([expect.stringMatching(/tasks\/beat.*: thrown on purpose$/)])
  await bot.replace(rig.source(code('b')))
  clock.advance(1000)
  await rig.until(() => rig.read('beats.txt').some((line) => line.startsWith('b')))
  expect(rig.read('beats.txt')[0]).toBe('a1 beat true')
})

test('middleware for tasks runs around them; guards and middleware for users do not', async () => {
  await using rig = await ChatRig.start()
  const files = {
    'middleware.ts': `import { middleware, dmOnly } from '${framework}'
      export default middleware({ guards: [dmOnly()], run: (ctx, next) => (ctx.user.id.length, next()), task: async (ctx, next) => {
        await next()
        await ctx.send(ctx.payload, 'after ' + ctx.name)
      } })`,
    'tasks/middleware.ts': `import { middleware } from '${framework}'
      export default middleware({ task: async (ctx, next) => { await ctx.send(ctx.payload, 'before'); await next() } })`,
    'tasks/x.ts': `import { task } from '${framework}'\nexport default task({ run: (ctx) => ctx.send(ctx.payload, 'now') })`,
    'events/ready.ts': `import { event } from '${framework}'
      export default event('ready', async (ctx) => { await ctx.schedule('x', { in: 1 }, process.env.X_CHANNEL) })`,
  }
  process.env['X_CHANNEL'] = rig.channel('general')
  const bot = await rig.startBot(files, { dispatcher: 'inline' })
  await rig.until(async () => (await rig.texts()).length === 3)
  expect(await rig.texts()).toEqual(['before', 'now', 'after x'])
  expect(rig.logged('error')).toEqual([])
  const silent = { ...files, 'tasks/middleware.ts': `export default (ctx, next) => next()` }
  await expect(bot.replace(rig.source(silent))).rejects.toThrow(
    /tasks\/middleware\.ts: guards and run do not apply to tasks/,
  )
})

test('startup fails on an invalid schedule and names the file', slow, async () => {
  await using rig = await ChatRig.start()
  const wrong = {
    'tasks/x.ts': `import { task } from '${framework}'\nexport default task({ cron: '99 * * * *', run() {} })`,
  }
  await expect(rig.startBot(wrong)).rejects.toThrow(/tasks\/x\.ts: cron '99 \* \* \* \*' cannot be read/)
  const missing = { 'commands/x.ts': "export default (ctx) => ctx.schedule('nothing', { in: 1 })" }
  await rig.startBot(missing)
  await rig.says('ann', '/x')
  await rig.until(() => rig.logged('error').length > 0)
  expect(rig.logged('error')[0]).toMatch(/there is no tasks\/nothing\.ts/)
})

test('reads how often a task runs again, and after which waits', () => {
  const run = () => undefined
  const waitsMs = [10_000, 60_000, 600_000]
  const of = (retry: RetryOptions | boolean) => task({ retry, run }).times.retry
  expect(of({ errors: 5, after: '10s' })).toEqual({ errors: 5, waitsMs: [10_000] })
  expect(of({ after: ['1s', 2000] })).toEqual({ errors: 3, waitsMs: [1000, 2000] })
  expect(of({})).toEqual({ errors: 3, waitsMs })
  expect(of(true)).toBe(true)
  expect(task({ retry: { error: 5 } as never, run }).problem).toBe('unknown field "error"; did you mean errors?')
  expect(() => of({ after: 'soon' as '1s' })).toThrow('task({ retry: { after } })')
})

test('checks the type of the payload that a task is scheduled with', () => {
  const typed = task({
    payload: z.object({ text: z.string() }),
    run: (ctx) => expectTypeOf(ctx.payload.text).toBeString(),
  })
  const plain = task<{ n: number }>({ run: (ctx) => expectTypeOf(ctx.payload.n).toBeNumber() })
  const none = task({ every: '10m', run: (ctx) => expectTypeOf(ctx.payload).toBeUndefined() })
  const types = (ctx: Parameters<typeof typed.schedule>[0]) => {
    void typed.schedule(ctx, { in: '1m' }, { text: 'x' })
    // @ts-expect-error text is missing
    void typed.schedule(ctx, { in: '1m' }, {})
    // @ts-expect-error a payload is required
    void plain.schedule(ctx, { at: new Date() })
    void none.schedule(ctx, { in: '1m' })
    // @ts-expect-error a time is required
    void none.schedule(ctx, {})
  }
  expect(types).toBeTypeOf('function')
})

test('a bot does not start if the variable with the time zone of a task is missing', async () => {
  await using rig = await ChatRig.start()
  const code = `import { task } from '${framework}'
    export default task({ cron: '0 9 * * *', timezone: { env: 'ZONE' }, run: () => {} })`
  const started = rig.startBot({ 'tasks/report.ts': code })
  await expect(started).rejects.toMatchObject({ code: 'ERR_CONFIG', message: expect.stringContaining('variable ZONE') })
})

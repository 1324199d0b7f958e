import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDev, stop } from '../dev-process.test.fixture.ts'
import { untilPrinted } from '../program.test.fixture.ts'
import type { Running } from '../program.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

// `framework clock` moves the clock of a bot under development, in its worker thread too.

const cool = (answer: string) => `import { command, cooldown } from '@botwright/framework'
export default command({ description: 'Cools', guards: [cooldown('1h')], run: () => '${answer}' })`
const files = {
  'commands/order.ts': `import { command, text } from '@botwright/framework'
export default command({
  description: 'Orders',
  run: async (ctx) => 'A coffee: ' + (await ctx.ask('Which size?', { as: text(), timeout: '15m' })),
})`,
  'commands/course.ts': `import { command } from '@botwright/framework'
export default command({
  description: 'Lasts three days',
  durable: true,
  run: async (ctx) => {
    for (const day of [1, 2, 3]) {
      await ctx.sleep('1d')
      await ctx.reply('Day ' + day)
    }
  },
})`,
  'commands/cool.ts': cool('cool'),
  'commands/standup.ts': `import { command } from '@botwright/framework'
import team from '../state/team.ts'
export default command({
  description: 'Reminds of the standup',
  run: async (ctx) => {
    await team.of(ctx).set(true)
    return 'At nine.'
  },
})`,
  'commands/busy.ts': `import { command } from '@botwright/framework'
export default command({
  description: 'Works until the clock has moved, and a moment longer',
  run: async (ctx) => {
    const startedMs = ctx.clock.now()
    ctx.log.info('begins to work')
    while (ctx.clock.now() - startedMs < 3_000_000) await new Promise((resolve) => setTimeout(resolve, 100))
    return 'done'
  },
})`,
  'commands/exit.ts': 'export default (ctx) => { if (!ctx.redelivered) process.exit(3); return "back" }',
  'commands/nag.ts': `import { command } from '@botwright/framework'
export default command({
  description: 'Asks three times',
  run: async (ctx) => {
    const startedMs = ctx.clock.now()
    for (const n of [1, 2, 3])
      await ctx.ask('Question ' + n, { timeout: '15m' }).catch(async () => {
        await ctx.send(ctx.channel_id, 'Gave up after ' + Math.round((ctx.clock.now() - startedMs) / 60_000) + ' minutes')
      })
  },
})`,
  'state/beats.ts': `import { state } from '@botwright/framework'
export default state({ scope: 'bot', initial: 0 })`,
  'tasks/beat.ts': `import { task } from '@botwright/framework'
import beats from '../state/beats.ts'
export default task({ cron: '30 12 * * *', run: async (ctx) => { await beats.of(ctx).update((n) => n + 1) } })`,
  'commands/loud.ts': `import { command } from '@botwright/framework'
export default command({
  description: 'Makes noise for two days',
  durable: true,
  run: async (ctx) => {
    for (let n = 1; n <= 120; n++) {
      await ctx.sleep('20m')
      await ctx.reply('Noise ' + n)
    }
  },
})`,
  'tasks/once.ts': `import { task } from '@botwright/framework'
export default task({ run: (ctx) => ctx.send(ctx.payload, 'from once') })`,
  'tasks/retried.ts': `import { task } from '@botwright/framework'
export default task({ retry: true, run: (ctx) => ctx.send(ctx.payload, 'from retried') })`,
  'commands/later.ts': `import { command, text } from '@botwright/framework'
export default command({
  description: 'Schedules a task',
  args: { task: text() },
  run: (ctx) => ctx.schedule(ctx.args.task, { in: '10m' }, ctx.channel_id).then(() => 'scheduled'),
})`,
  'state/team.ts': `import { state } from '@botwright/framework'
export default state({ scope: 'channel', initial: false })`,
  'tasks/standup.ts': `import { task } from '@botwright/framework'
import team from '../state/team.ts'
export default task({
  cron: '0 9 * * *',
  timezone: 'Asia/Tokyo',
  run: async (ctx) => {
    const at = new Date(ctx.clock.now()).toISOString().slice(11, 16)
    for (const { owner } of await team.list(ctx)) await ctx.send(owner.channel_id, 'Standup on day ' + new Date(ctx.clock.now()).getUTCDate() + ' at ' + at)
  },
})`,
}

let draft: BotDraft
let dev: Running
beforeAll(async () => {
  draft = await BotDraft.make(files)
  dev = await startDev(draft)
  await untilPrinted(dev, 'Chat')
})
afterAll(async () => {
  await stop(dev)
  await draft[Symbol.asyncDispose]()
})

const say = async (text: string, ...options: string[]) =>
  (await draft.framework(['say', 'ann', text, ...options])).stdout
const timedClock = async (time: string) => {
  const { code, stdout, stderr } = await draft.framework(['clock', time])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [first = '', ...lines] = stdout.trimEnd().split('\n')
  expect(first).toMatch(/^the clocks of the service and of \S+ are now \d{4}-\S+ \S+ \(.+ later\)$/)
  return lines
}
const time = /^ {2}(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) {2}/
/** The lines without the times of calls. */
const clock = async (by: string) => (await timedClock(by)).map((line) => line.replace(time, '  '))
/** The lines without those of tasks, which may be due at any time of the day. */
const withoutTasks = (lines: readonly string[]) =>
  lines.filter((line) => !line.startsWith('  tasks/') && line !== 'the bot sent nothing, and no handler ended')

test('ends a question after its timeout', async () => {
  expect(await say('/order')).toContain('Which size?')
  expect(withoutTasks(await clock('14m'))).toEqual([])
  expect(withoutTasks(await clock('2m'))).toEqual([
    '  #general  reply “No answer came within 15 min. To start again: /order”',
    '  commands/order.ts  1 run',
  ])
})

test('ends a cooldown, also in a reloaded bot and in a new worker thread', { tags: ['all/processes'] }, async () => {
  expect(await say('/cool')).toContain('reply “cool”')
  expect(await say('/cool')).toContain('refused')
  await clock('61m')
  await writeFile(join(draft.root, 'commands/cool.ts'), cool('cold'))
  await untilPrinted(dev, /↻.*cool/)
  expect(await say('/cool')).toContain('reply “cold”')
  expect(await say('/cool')).toContain('refused')
  await say('/exit')
  // The new thread runs the event again.
  const answers = async () => (await draft.framework(['events'])).stdout
  await expect.poll(answers).toContain('reply “back”')
  expect(await say('/cool')).toContain('refused')
  await clock('61m')
  expect(await say('/cool')).toContain('reply “cold”')
})

test('does not end a handler that is running', { tags: 'all/real-time' }, async () => {
  const busy = say('/busy', '--wait', '1m')
  await expect.poll(dev.output).toContain('begins to work')
  expect((await draft.framework(['clock', '1h'])).code).toBe(0)
  expect(await busy).toContain('reply “done”')
})

test('ends the questions of a handler one after the other, each at its own time', async () => {
  expect(await say('/nag')).toContain('Question 1')
  expect(withoutTasks(await clock('1h'))).toEqual([
    '  #general  send “Gave up after 15 minutes”',
    '  #general  reply “Question 2”',
    '  #general  send “Gave up after 30 minutes”',
    '  #general  reply “Question 3”',
    '  #general  send “Gave up after 45 minutes”',
    '  commands/nag.ts  1 run',
  ])
})

test('names a task that ran without sending anything', async () => {
  expect((await clock('1d')).filter((line) => line.startsWith('  tasks/beat.ts'))).toHaveLength(1)
})

test('prints the error of a task that fails, and exits with 4', async () => {
  expect(await say('/later once')).toContain('scheduled')
  await draft.framework(['fault', 'POST', '/channels/*', '500'])
  const { code, stdout } = await draft.framework(['clock', '11m'])
  expect({ code, stdout }).toEqual({
    code: 4,
    stdout: expect.stringMatching(
      /^ {2}tasks\/once\.ts {2}1 run, 1 failed\n {4}✘ tasks\/once\.ts:2: messages\.create: the service answered 500\. /m,
    ) as string,
  })
})

test('a task with retry: true that fails runs again while the clock moves', async () => {
  expect(await say('/later retried')).toContain('scheduled')
  await draft.framework(['fault', 'POST', '/channels/*', '500', '--times', '2'])
  const lines = withoutTasks(await clock('20m'))
  expect(lines).toContain('  #general  send “from retried”')
})

test('a task with retry: true that fails each time is set aside, and the exit code is 4', async () => {
  expect(await say('/later retried')).toContain('scheduled')
  await draft.framework(['fault', 'POST', '/channels/*', '500', '--times', '4'])
  const { code, stdout } = await draft.framework(['clock', '40m', '--json'])
  const { bots } = JSON.parse(stdout) as { bots: { ran: { file: string }[] }[] }
  expect({ code, ran: bots[0]!.ran.find(({ file }) => file === 'tasks/retried.ts') }).toEqual({
    code: 4,
    ran: {
      file: 'tasks/retried.ts',
      runs: 4,
      failed: 4,
      repeated: 3,
      errors: [{ at: 'tasks/retried.ts:2', message: expect.stringContaining('answered 500') as string }],
    },
  })
  expect(dev.output()).toContain('is set aside after 4 attempts: tasks/retried.ts:2: messages.create')
})

test('runs what is due in its order and at its own time', slow, async () => {
  expect(await say('/standup')).toContain('At nine.')
  await say('/course')
  const timed = await timedClock('3d')
  const lines = timed.map((line) => line.replace(time, '  '))
  expect(lines.filter((line) => line.includes('Day'))).toEqual([1, 2, 3].map((day) => `  #general  reply “Day ${day}”`))
  const standups = lines.filter((line) => line.includes('Standup'))
  expect(standups.length).toBe(3)
  for (const line of standups) expect(line).toMatch(/^ {2}#general {2}send “Standup on day \d+ at 00:00”$/)
  expect(new Set(standups).size).toBe(3)
  // The task has no time zone: it runs at midnight in UTC.
  const times = timed.filter((line) => line.includes('Standup')).map((line) => new Date(time.exec(line)![1]!))
  expect(times.map((at) => [at.getUTCHours(), at.getUTCMinutes()])).toEqual([0, 1, 2].map(() => [0, 0]))
})

test(
  'moves the limits of the service with the bot, and names what it does not show',
  { tags: 'all/real-time' },
  async () => {
    await say('/loud')
    // 120 messages, of which the interface allows 30 a minute (§8).
    const lines = await clock('2d')
    expect(lines[0]).toBe('  … earlier calls are not shown: the service keeps the latest 100')
    expect(lines.filter((line) => line.includes('429'))).toEqual([])
    expect(lines).toContain('  #general  reply “Noise 120”')
    expect(lines).toContain('  commands/loud.ts  1 run')
  },
)

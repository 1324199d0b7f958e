import { writeFileSync } from 'node:fs'
import { AdvanceableClock, systemClock } from '@botwright/clock'
import { startService } from '@botwright/service'
import { expect, test } from 'vitest'
import { ChatRig, token } from '../../tests/chat-rig.test.fixture.ts'
import { framework, startControlled } from '../health/control/control-rig.test.fixture.ts'

test('a handler that fails is a problem with its first and last error, its line and the people', async () => {
  await using rig = await ChatRig.start(['ann', 'bob'])
  const more = { 'commands/sum.ts': 'export default (ctx) => {\n  throw new Error(`no ${ctx.typed}`)\n}' }
  const { bot, state } = await startControlled(rig, { more })
  for (const [n, who] of (['ann', 'bob', 'ann'] as const).entries()) await rig.says(who, `/sum ${n}`, `c${n}`)
  await rig.until(() => bot.stats().finished === 3)
  const errors = (await state()).problems[0]!.errors!
  expect((await state()).problems).toMatchObject([
    {
      code: 'handler_failing',
      text: expect.stringMatching(
        /^commands\/sum\.ts fails: 3 of 3 runs within the last hour, for 2 people; the last error was at \S+:2$/,
      ) as string,
    },
  ])
  for (const error of Object.values(errors))
    expect(error).toMatchObject({
      line: expect.stringMatching(/sum\.\w+:2$/) as string,
      message: expect.stringMatching(/^no \d$/) as string,
    })
  expect(errors.first.reference).not.toBe(errors.last.reference)
})

test('a handler that fails in only one of several servers: the problem names the server', async () => {
  const [owner, bots] = ['ann', ['helper']]
  const servers = ['Workshop', 'Annex'].map((name) => ({ name, owner, bots, channels: [{ name: 'general' }] }))
  const bot = { username: 'helper', owner, token }
  await using rig = new ChatRig(
    await startService({ port: 0, world: { people: [{ username: owner }], bots: [bot], servers } }),
  )
  const annex = rig.service.world.servers['Annex']!
  const more = {
    'commands/stock.ts': `export default (ctx) => { if (ctx.server_id === '${annex.id}') throw new Error('no') }`,
  }
  const { bot: running, state } = await startControlled(rig, { more })
  await rig.until(async () => (await state()).servers?.length === 2)
  await rig.person('ann').messages.create({ channel_id: annex.channels['general']!, content: '/stock' })
  await rig.says('ann', '/stock')
  await rig.until(() => running.stats().finished === 2)
  expect((await state()).problems.map(({ text }) => text)).toEqual([
    expect.stringMatching(
      /^commands\/stock\.ts fails: 1 of 2 runs .* for 1 person, only in the server "Annex"; the last/,
    ),
  ])
})

test('the duration of a handler has no waits for people', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const more = {
    'commands/order.ts':
      "export default async (ctx) => { await ctx.ask('What?', { timeout: '2h' }); return 'ordered' }",
  }
  const { state, url } = await startControlled(rig, { dispatcher: 'inline', clock, more })
  await rig.says('ann', '/order')
  await rig.until(async () => (await rig.texts()).includes('What?'))
  clock.advance(600_000)
  await rig.says('ann', 'tea')
  await rig.until(async () => (await rig.texts()).includes('ordered'))
  await rig.until(async () => (await state()).files.length > 0)
  expect((await state()).files[0]).toMatchObject({ file: 'commands/order.ts', results: { ok: 1 } })
  expect((await state()).files[0]!.p99_ms).toBeLessThan(60_000)
  const metrics = await (await fetch(url.replace('/control', '/metrics'))).text()
  expect(metrics).toContain('botwright_handler_seconds_bucket{le="60",file="commands/order.ts"} 1')
})

test('the queue of a channel has its name, its oldest event and the file that runs', async () => {
  await using rig = await ChatRig.start()
  const goOn = `${rig.root}/go-on`
  const more = {
    'commands/slow.ts': `import { existsSync } from 'node:fs'
      export default async () => { while (!existsSync('${goOn}')) await new Promise((end) => setTimeout(end, 5)) }`,
  }
  const { bot, state } = await startControlled(rig, { more })
  for (const text of ['/slow', '/ping 1', '/ping 2']) await rig.says('ann', text, 'random')
  await rig.until(async () => (await state()).queues[0]?.waiting === 2)
  expect((await state()).queues).toEqual([
    {
      channel_id: rig.channel('random'),
      channel: 'random',
      waiting: 2,
      oldest_at: expect.any(String),
      running_seconds: expect.any(Number),
      file: 'commands/slow.ts',
      most: [],
    },
  ])
  // Of several queues, the longest one, the one with the oldest event and the one with the slowest handler stand out.
  await rig.says('ann', '/slow', 'c0')
  await rig.until(async () => (await state()).queues.every(({ running_seconds }) => (running_seconds ?? 0) > 0))
  expect((await state()).queues).toMatchObject([
    { channel: 'random', most: ['longest', 'oldest', 'slowest'] },
    { channel: 'c0', most: [] },
  ])
  writeFileSync(goOn, '')
  await rig.until(() => bot.stats().finished === 4)
  expect((await state()).queues).toEqual([])
})

test('a task without `retry` whose run fails has failed until a run succeeds', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const fixed = `${rig.root}/fixed`
  const more = {
    'tasks/beat.ts': `import { task } from '${framework}'
      import { existsSync } from 'node:fs'
      export default task({ every: '1h', missed: 'once', run: () => { if (!existsSync('${fixed}')) throw new Error('no') } })`,
  }
  const { bot, state, url } = await startControlled(rig, { dispatcher: 'inline', clock, more })
  // Its schedule has begun.
  await rig.until(async () => (await bot.store.list('task:last:')).length === 1)
  const stateOf = async () => (await state()).tasks?.[0]?.last?.state
  const metrics = async () => (await fetch(url.replace('/control', '/metrics'))).text()
  clock.advance(3_600_000)
  await rig.until(async () => (await stateOf()) === 'failed')
  expect(await metrics()).toContain('botwright_task_failed{file="tasks/beat.ts"} 1')
  writeFileSync(fixed, '')
  clock.advance(3_600_000)
  await rig.until(async () => (await stateOf()) === 'done')
  expect(await metrics()).toContain('botwright_task_failed{file="tasks/beat.ts"} 0')
})

test('an uncaught error has its own line, also while a handler of another file runs', async () => {
  await using rig = await ChatRig.start()
  const more = {
    'commands/slow.ts':
      'export default async (ctx) => { if (!ctx.redelivered) await new Promise((end) => setTimeout(end, 60_000)) }',
    'commands/timer.ts': `export default () => {
  setTimeout(() => {
    throw new Error('late')
  })
}`,
  }
  const { bot, state } = await startControlled(rig, { more })
  await rig.says('ann', '/slow', 'c0')
  await rig.until(() => bot.stats().running === 1)
  await rig.says('ann', '/timer', 'c1')
  await rig.until(async () => (await state()).problems.some(({ code }) => code === 'handler_crashed'))
  const line = 'build-1/commands/timer.mjs:3'
  expect(rig.logged('error')[0]).toContain(`${line}: ended its thread with an uncaught error: late`)
  expect((await state()).problems[0]!.text).toContain(`ended its thread with an uncaught error at ${line}`)
})

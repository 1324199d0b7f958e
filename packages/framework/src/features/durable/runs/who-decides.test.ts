import type { Delivery } from '@botwright/events/event'
import { expect, test } from 'vitest'
import { wakeDelivery } from '../../../link/run-event.ts'
import { deliver, id, message } from '../../../tests/loaded-bot.test.fixture.ts'
import { choice } from '../../../author/buttons/face.ts'
import { durable, Restarts, texts, turns } from './restarts.test.fixture.ts'

// Whose clicks a durable handler waits for, and what those of others cost it.

const withGuards = (code: string) => code.replace('{ command }', '{ allOf, anyOf, command, cooldown, guard, hasRole }')
const approve = (by: string) =>
  withGuards(
    durable(`
      const decision = await ctx.approve({ in: '${id(20)}', title: 'May I?', by: ${by}, timeout: '3d' })
      return 'approved by ' + decision.by.name`),
  )
const byBob = "guard({ describe: 'x', refusal: 'Ask Bob.', check: (ctx) => ctx.user.name === 'bob' })"
const clickOf = (username: string, value = 'yes', user_id = id(username === 'bob' ? 41 : 42)) =>
  deliver('interaction', {
    ...{ id: id(50), token: 't', message_id: id(501), channel_id: id(20), user_id, username },
    ...{ custom_id: choice(value, { label: 'x' }).custom_id, expires_at: '2027-01-01T00:00:00Z' },
  })

const choose = "return 'chose ' + (await ctx.choose('Which?', ['a', 'b'], { timeout: '3d', by: '" + id(41) + "' }))"
const wait =
  "const asked = await ctx.reply('Well?'); await ctx.clicked(asked, { timeout: '3d', by: '" +
  id(41) +
  "' }); return 'ok'"

test.each([
  ['ctx.approve', approve(byBob), 'yes', 'approved by bob'],
  ['ctx.choose', durable(choose), '1', 'chose b'],
  ['ctx.clicked', durable(wait), '1', 'ok'],
])('clicks of others use up none of the steps of %s, also after a restart', async (_, code, value, answer) => {
  const rig = new Restarts()
  const files = { 'commands/go.ts': code }
  const begun = message({ command: 'go' })
  const wakes = (click: Delivery) =>
    wakeDelivery({ run: String(begun.event.id), file: 'commands/go.ts', answer: click.event }, { now: 0 })
  let { bot, calls } = await rig.start(files)
  await bot.handle(begun)
  for (const restarted of [false, true, true]) {
    if (restarted) ({ bot, calls } = await rig.start(files))
    // Its former keys are dropped when it is stored again.
    const { keys: _, ...before } = await rig.head()
    const log = await rig.store.list('run:log:')
    for (let i = 0; i < 400; i++) {
      const other = clickOf('eve', value)
      await bot.handle(restarted ? wakes(other) : other)
    }
    expect(calls.filter(([name]) => name === 'interactions.callback').length).toBe(400)
    const { keys: __, ...after } = await rig.head()
    expect(after).toEqual(before)
    expect(await rig.store.list('run:log:')).toEqual(log)
  }
  await bot.handle(wakes(clickOf('bob', value)))
  expect(texts(calls)).toEqual([answer])
})

test('a click counts although the run is dropped while its guard is checked', async () => {
  const world = globalThis as { checked?: () => Promise<boolean> }
  const rig = new Restarts()
  let checks = 0
  let end!: (passes: boolean) => void
  world.checked = () => new Promise((resolve) => (checks++, (end = resolve)))
  try {
    const by = "guard({ describe: 'x', refusal: '', check: () => globalThis.checked() })"
    const { bot, calls } = await rig.start({ 'commands/go.ts': approve(by) })
    const begun = message({ command: 'go' })
    await bot.handle(begun)
    const answer = clickOf('bob').event
    const clicked = bot.handle(
      wakeDelivery({ run: String(begun.event.id), file: 'commands/go.ts', answer }, { now: 0 }),
    )
    await turns()
    expect(checks).toBe(1)
    await rig.clock.advance(60_000)
    end(true)
    await turns()
    expect(checks).toBe(2)
    end(true)
    await clicked
    expect(texts(calls)).toEqual(['May I?', 'approved by bob'])
  } finally {
    delete world.checked
  }
})

test('a guard that fails for one click does not end the request', async () => {
  const by =
    "guard({ describe: 'x', refusal: '', check: (ctx) => { if (ctx.user.name === 'eve') throw new Error('it broke'); return true } })"
  const rig = new Restarts()
  const { bot, calls, logged } = await rig.start({ 'commands/go.ts': approve(by) })
  await bot.handle(message({ command: 'go' }))
  await bot.handle(clickOf('eve'))
  expect(logged).toEqual([expect.stringContaining('it broke')])
  expect(calls.at(-1)).toEqual([
    'interactions.callback',
    expect.objectContaining({ type: 'ephemeral', content: expect.stringMatching(/went wrong/) }),
  ])
  await bot.handle(clickOf('bob'))
  expect(texts(calls)).toEqual(['May I?', 'approved by bob'])
})

test.each(["[cooldown('1h', { per: 'channel' }), %]", "[%, cooldown('1h', { per: 'channel' })]"])(
  'clicks of others use up no cooldown of ctx.approve with by: %s',
  async (by) => {
    const rig = new Restarts()
    const { bot, calls } = await rig.start({ 'commands/go.ts': approve(by.replace('%', byBob)) })
    await bot.handle(message({ command: 'go' }))
    for (let i = 0; i < 2; i++) {
      await bot.handle(clickOf('eve'))
      expect(calls.at(-1)).toEqual([
        'interactions.callback',
        expect.objectContaining({ type: 'ephemeral', content: 'Ask Bob.' }),
      ])
    }
    await bot.handle(clickOf('bob'))
    expect(texts(calls)).toEqual(['May I?', 'approved by bob'])
  },
)

test('a click whose guard fails uses up no cooldown of ctx.approve', async () => {
  const rig = new Restarts()
  const once =
    "guard({ describe: 'x', refusal: 'no', check: (ctx) => { if (ctx.user.name === 'eve') throw new Error('x'); return true } })"
  const { bot, calls } = await rig.start({
    'commands/go.ts': approve(`[cooldown('1h', { per: 'channel' }), anyOf([${once}, cooldown('1s')])]`),
  })
  await bot.handle(message({ command: 'go' }))
  await bot.handle(clickOf('eve'))
  await bot.handle(clickOf('bob'))
  expect(texts(calls)).toEqual(['May I?', 'approved by bob'])
})

test.each([
  ['[]', 'by must have at least one guard'],
  ['undefined', 'by[0] must be created with guard({ … }), serverOnly() or another guard'],
  ["[hasRole('Manager'), undefined]", 'by[1] must be created with guard'],
  ['[hasRole]', 'by[0] is a function: call it'],
  ["'Manager'", 'by[0] must be created with guard'],
])('ctx.approve refuses by: %s before it posts', async (by, fact) => {
  const { bot, calls, logged } = await new Restarts().start({ 'commands/go.ts': approve(by) })
  await bot.handle(message({ command: 'go' }))
  expect(logged).toEqual([expect.stringContaining(`ctx.approve: ${fact}`)])
  expect(texts(calls)).toEqual([expect.stringMatching(/went wrong/)])
})

test.each([
  ["throw new Error('it broke')", '', /went wrong/],
  ["return 'ok'", 'args: { n: integer() },', /n must be a whole number/],
  ["throw new BotwrightError('ERR_NO_REPLY', 'none')", '', /./],
])(
  'a person who repeats a durable command that fails gets three notices a minute (%#)',
  async (run, options, notice) => {
    const code = durable(run, options).replace('{ command }', '{ BotwrightError, command, integer }')
    const rig = new Restarts()
    const { bot, calls } = await rig.start({ 'commands/go.ts': code })
    for (let i = 0; i < 6; i++) await bot.handle(message({ command: 'go', args: 'x' }))
    expect(texts(calls)).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(notice) as string))
    await bot.handle(message({ command: 'go', args: 'x', author_id: id(41) }))
    expect(texts(calls)).toHaveLength(4)
    await rig.clock.advance(60_000)
    await bot.handle(message({ command: 'go', args: 'x' }))
    expect(texts(calls)).toHaveLength(5)
  },
)

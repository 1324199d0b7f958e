import { expect, test } from 'vitest'
import { deliver, id, message, start } from '../../../tests/loaded-bot.test.fixture.ts'
import { durable, Restarts, texts, turns } from './restarts.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

// Runs whose handler has another version than the one that began them, and runs that start over.

const asking = (before: string, options = '') =>
  durable(`${before} return 'got ' + (await ctx.ask('Word?', { timeout: '1h' }))`, options)
const step = "await ctx.step('new', () => 1);"

/** Asks with the first code, answers with the second, and returns what the second one sent. */
async function upgrade(first: string, second: string) {
  const rig = new Restarts()
  const before = await rig.start({ 'commands/go.ts': first })
  await before.bot.handle(message({ command: 'go' }))
  const { bot, calls, logged } = await rig.start({ 'commands/go.ts': second })
  const answer = () => bot.handle(message({ content: 'tea', created_at: new Date(rig.clock.now()).toISOString() }))
  await rig.wakeAll(bot)
  return { rig, bot, answer, logged, said: () => texts(calls) }
}

test('a run of another version continues if its recorded steps match', async () => {
  const { answer, said } = await upgrade(asking(''), asking('', 'version: 2,').replace('got', 'version 2 got'))
  await answer()
  expect(said()).toEqual(['version 2 got tea'])
})

test('a run of another version that does not match is cancelled, and its user is notified', async () => {
  const { rig, said, logged } = await upgrade(asking(''), asking(step, 'version: 2,'))
  expect(said()).toEqual(['This bot was updated, so this conversation has ended. To start again: /go'])
  expect(await rig.head()).toMatchObject({
    status: 'cancelled',
    error: expect.stringContaining('step 1 is step "new", but the record has call "messages.create"') as string,
  })
  expect(logged).toEqual([])
  await turns()
  expect(await rig.store.list('run:log:')).toEqual([])
})

test('the user of an event is notified in the direct messages in which it asked', async () => {
  const joined = (version: number, before: string) => ({
    'events/member_join.ts': `import { event } from 'botwright'
      export default event('member_join', { durable: true, version: ${version},
        run: async (ctx) => { ${before} await ctx.ask('Who are you?', { in: 'dm', timeout: '1h' }) } })`,
  })
  const rig = new Restarts()
  const first = await rig.start(joined(1, ''))
  await first.bot.handle(deliver('member_join', { server_id: id(30), user_id: id(40), username: 'ann' }))
  const { bot, calls } = await rig.start(joined(2, step))
  await rig.wakeAll(bot)
  expect(await rig.head()).toMatchObject({ status: 'cancelled' })
  expect(calls.filter(([name]) => name === 'messages.create').map(([, input]) => input)).toEqual([
    { channel_id: id(99), content: 'This bot was updated, so this conversation has ended.' },
  ])
})

test("onUpgrade: 'restart' runs the event again from the beginning", async () => {
  const { rig, answer, said } = await upgrade(asking(''), asking(step, "version: 2, onUpgrade: 'restart',"))
  expect(said()).toEqual(['Word?'])
  await answer()
  expect(said()).toEqual(['Word?', 'got tea'])
  expect(await rig.head()).toMatchObject({ status: 'done', part: { number: 1 } })
})

test("onUpgrade: 'finish-old' runs the former code by ctx.version, and a run that does not match has failed", async () => {
  const options = "version: 2, onUpgrade: 'finish-old',"
  const former = await upgrade(asking(''), asking(`if (ctx.version > 1) { ${step} }`, options))
  await former.answer()
  expect(former.said()).toEqual(['got tea'])
  const gone = await upgrade(asking(''), asking(step, options))
  expect(gone.said()[0]).toMatch(/^Something went wrong \(ref/)
  expect(gone.logged[0]).toContain('step 1 is step "new", but the record has call "messages.create"')
})

test('a run that does not match its own version has failed', async () => {
  const { said } = await upgrade(asking(''), asking(step, "onUpgrade: 'restart',"))
  expect(said()[0]).toMatch(/^Something went wrong \(ref/)
})

test('a handler that ends before its recorded steps has failed', async () => {
  const { logged } = await upgrade(asking(''), durable(''))
  expect(logged[0]).toMatch(
    /^commands\/go\.ts: the handler ends after step 0, but the record has call "messages\.create" \(commands\/go\.ts:2\)/,
  )
  const thrown = await upgrade(asking(''), durable("throw new Error('early')"))
  expect(thrown.logged[0]).toContain('the handler ends after step 0')
})

test('rejects an invalid version, and names the file', async () => {
  const wrong = (options: string) => start({ 'commands/go.ts': durable('', options) })
  for (const [options, text] of [
    ['version: 1.5,', 'version must be a whole number from 1, but is 1.5'],
    ["onUpgrade: 'finish',", "onUpgrade must be 'cancel' or 'restart' or 'finish-old', but is 'finish'"],
    ['version: 2, durable: undefined,', 'version has an effect only on durable handlers'],
  ] as const)
    await expect(wrong(options)).rejects.toMatchObject({
      code: 'ERR_DEFINITION',
      message: expect.stringContaining(`commands/go.ts: ${text}`) as string,
    })
})

const loop = (end: string) => `
  import { command, cooldown, date, integer } from 'botwright'
  export default command({
    description: 'x',
    durable: true,
    args: { round: integer().default(1), day: date().optional() },
    guards: [cooldown('1h')],
    run: async (ctx) => {
      const { round, day } = ctx.args
      const id = ctx.uuid()
      for (let i = 0; i < 20; i++) await ctx.step('work', () => i)
      await ctx.send(ctx.channel_id, 'round ' + round + ' ' + (day?.getTime() ?? '-') + ' ' + id)
      if (round % 10 === 0) await ctx.ask('More?', { timeout: '1h' })
      ${end}
      return ctx.continueAs({ round: round + 1, day: new Date(0) })
    },
  })`

test('ctx.continueAs starts over with other args and an empty record, also after a restart', slow, async () => {
  const rig = new Restarts()
  const files = { 'commands/go.ts': loop("if (round === 70) return 'done'") }
  let { bot, calls, logged } = await rig.start(files)
  // The first rounds settle the event; the others follow.
  const rests = async () => {
    for (let head = await rig.head(); head.status === 'waiting' && head.waits.length === 0; head = await rig.head())
      await turns()
  }
  await bot.handle(message({ command: 'go' }))
  await rests()
  const said = texts(calls)
  // 70 rounds of 20 steps are more than one record may have.
  for (let more = 0; more < 7; more++) {
    expect((await rig.head()).steps).toBeLessThan(40)
    if (more % 2 === 0) {
      ;({ bot, calls, logged } = await rig.start(files))
      await rig.wakeAll(bot)
    }
    const before = texts(calls).length
    await bot.handle(message({ content: 'yes' }))
    await rests()
    await turns()
    said.push(...texts(calls).slice(before))
  }
  const rounds = said.filter((text) => String(text).startsWith('round'))
  expect(rounds).toHaveLength(70)
  expect(rounds[0]).toMatch(/^round 1 - /)
  expect(rounds[69]).toMatch(/^round 70 0 /)
  expect(new Set(rounds.map((text) => String(text).split(' ')[3])).size).toBe(70)
  expect(said.at(-1)).toBe('done')
  expect(logged).toEqual([])
  expect(await rig.head()).toMatchObject({ status: 'done', part: { number: 69 } })
  await turns()
  expect(await rig.store.list('run:log:')).toEqual([])
})

test('ctx.continueAs rejects values that cannot be stored', async () => {
  const { bot, logged } = await start({
    'commands/go.ts': durable('return ctx.continueAs({ made: new Map() })'),
  })
  await bot.handle(message({ command: 'go' }))
  expect(logged[0]).toContain('commands/go.ts: ctx.continueAs: made is a Map, which JSON cannot store; pass plain data')
})

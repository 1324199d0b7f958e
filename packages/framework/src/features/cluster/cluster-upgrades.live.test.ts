import { AdvanceableClock, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { RunStore } from '../durable/stored/run-store.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { MemoryCluster } from './memory-cluster.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

// Durable runs during a rolling upgrade: an instance with older code meets runs that only newer code can continue.

const framework = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)
const durable = (run: string, options = '') =>
  `import { command } from ${framework}
  export default command({ description: 'x', durable: true, ${options} run: async (ctx) => { ${run} } })`
const ask = (question: string, version: string) =>
  `const a = await ctx.ask('${question}', { timeout: '1h' }); return '${version} got ' + a`

const heard = { 'events/message.ts': "export default (ctx) => 'heard ' + ctx.content" }
const one = { 'commands/form.ts': durable(ask('Name?', 'one')), ...heard }
const two = {
  'commands/form.ts': durable(`await ctx.step('new', () => 1); ${ask('Name?', 'two')}`),
  'commands/fresh.ts': durable(ask('Colour?', 'two')),
  'commands/nap.ts': durable("await ctx.sleep('5m'); return 'two slept'"),
  'commands/pick.ts': durable("return 'two picked ' + (await ctx.choose('Which?', ['a', 'b'], { timeout: '1h' }))"),
  ...heard,
}

async function start() {
  const rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const cluster = new MemoryCluster(clock)
  const bot = (files: Record<string, string>, codeId: string) =>
    rig.startBot(files, { dispatcher: 'inline', cluster, clock, source: { ...rig.source(files), codeId } })
  const last = (text: string, channel?: string) => rig.until(async () => (await rig.texts(channel)).at(-1) === text)
  /** The newer code has run once, and has begun a run. */
  const begin = async (command: string, question: string) => {
    const older = await bot(one, 'one')
    await older.stop()
    const newer = await bot(two, 'two')
    await rig.says('ann', command)
    await last(question)
    await rig.until(async () => (await cluster.store.list('run:head:')).length === 1)
    return newer
  }
  return {
    ...{ rig, clock, cluster, bot, last, begin },
    older: () => bot(one, 'one'),
    newer: () => bot(two, 'two'),
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]()
      cluster.close()
    },
  }
}

test.each([
  ['does not match the older code', '/form', 'Name?'],
  ['has no file in the older code', '/fresh', 'Colour?'],
])('an answer to a run that %s waits for newer code', async (_, command, question) => {
  await using it = await start()
  const { rig, cluster, last } = it
  const first = await it.begin(command, question)
  const older = await it.older()
  await first.stop()
  await rig.says('ann', 'red')
  await rig.until(async () => (await cluster.store.list('run:kept:')).length === 1)
  const newer = await it.newer()
  await last('two got red')
  expect(await rig.texts()).toEqual([command, question, 'red', 'two got red'])
  await rig.until(async () => (await cluster.store.list('run:parked:')).length === 0)
  await rig.until(async () => (await cluster.store.list('run:kept:')).length === 0)
  await rig.says('ann', 'bye')
  await last('heard bye')
  expect(rig.lines.filter(({ message }) => /waits for an instance with other code/.test(message))).toHaveLength(1)
  expect(rig.logged('error')).toEqual([])
  await Promise.all([older.stop(), newer.stop()])
})

test(
  'a click and a sleep that ends wait for newer code, which an operator may cancel',
  { tags: ['all/real-time'] },
  async () => {
    await using it = await start()
    const { rig, cluster, last, clock } = it
    const first = await it.begin('/nap', '/nap')
    for (const [command, channel] of [
      ['/pick', 'random'],
      ['/fresh', 'c0'],
    ] as const)
      await rig.says('ann', command, channel)
    await last('Which?', 'random')
    await last('Colour?', 'c0')
    await rig.until(async () => (await cluster.store.list('run:head:')).length === 3)
    const older = await it.older()
    await first.stop()
    await rig.clicks('random')
    await rig.until(async () => (await cluster.store.list('run:kept:')).length === 1)
    await rig.says('ann', 'red', 'c0')
    await rig.until(async () => (await cluster.store.list('run:kept:')).length === 2)
    const fresh = (await new RunStore(cluster.store).heads({ limit: 9 })).find(
      ({ file }) => file === 'commands/fresh.ts',
    )!
    await new RunStore(cluster.store).request(fresh.id, { action: 'cancel' })
    await last('heard red', 'c0')
    clock.advance(5 * 60_000)
    await rig.until(async () => (await cluster.store.list('run:parked:')).length === 2)
    const newer = await it.newer()
    await last('two slept')
    await last('two picked a', 'random')
    expect(await rig.texts('random')).toEqual(['/pick', 'Which?\n**a**', 'two picked a'])
    await Promise.all([older.stop(), newer.stop()])
  },
)

test('the version of a handler decides which code is newer, whichever ran first', slow, async () => {
  await using it = await start()
  const { rig, cluster, last } = it
  const files = { 'commands/form.ts': durable(`await ctx.step('new', () => 1); ${ask('Name?', 'two')}`, 'version: 2,') }
  const first = await it.bot(files, 'two')
  await rig.says('ann', '/form')
  await last('Name?')
  await rig.until(async () => (await cluster.store.list('run:head:')).length === 1)
  const older = await it.older()
  await first.stop()
  await rig.says('ann', 'Ann')
  await rig.until(async () => (await cluster.store.list('run:kept:')).length === 1)
  const newer = await it.bot(files, 'two')
  await last('two got Ann')
  expect(await rig.texts()).toEqual(['/form', 'Name?', 'Ann', 'two got Ann'])
  await Promise.all([older.stop(), newer.stop()])
})

test('an instance with newer code continues a run that an older one has met', slow, async () => {
  await using it = await start()
  const { rig, cluster, last } = it
  const first = await it.begin('/form', 'Name?')
  const older = await it.older()
  await cluster.cutOff(cluster.members[0]!)
  await rig.says('ann', 'Ann')
  await last('two got Ann')
  expect(await rig.texts()).toEqual(['/form', 'Name?', 'Ann', 'two got Ann'])
  await Promise.all([first.stop(), older.stop()])
})

test(
  'after 10 minutes without newer code, the older code decides, and answers that were kept are handled',
  slow,
  async () => {
    await using it = await start()
    const { rig, cluster, clock, last } = it
    const first = await it.begin('/form', 'Name?')
    const older = await it.older()
    await first.stop()
    await rig.says('ann', 'Ann')
    await rig.until(async () => (await cluster.store.list('run:kept:')).length === 1)
    clock.advance(10 * 60_000)
    await last('heard Ann')
    expect((await rig.texts()).slice(0, 3)).toEqual(['/form', 'Name?', 'Ann'])
    const [head] = await new RunStore(cluster.store).heads({ limit: 9 })
    expect(head!.status).toBe('failed')
    await rig.until(async () => (await cluster.store.list('run:parked:')).length === 0)
    await older.stop()
  },
)

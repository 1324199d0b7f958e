import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AdvanceableClock, systemClock, VirtualClock } from '@botwright/clock'
import type { Delivery } from '@botwright/events'
import { BotwrightError } from '@botwright/protocol/facts'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { MemoryCluster } from './memory-cluster.test.fixture.ts'
import { count, goOn, members, untilGoOn } from './two-instances.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

const framework = new URL('../../../dist/index.js', import.meta.url).href

test('a cluster that refuses an instance, and a token that is not accepted, end the start with their reason', async () => {
  await using rig = await ChatRig.start()
  const cluster = new MemoryCluster()
  const error = new BotwrightError('ERR_CLUSTER', 'Redis cannot be used: it forgets')
  const refusing = Object.assign(Object.create(cluster) as MemoryCluster, { join: () => Promise.reject(error) })
  await expect(rig.startBot({}, { cluster: refusing })).rejects.toBe(error)
  const strange = { cluster, token: 'wrong-token-entirely' }
  await expect(rig.startBot({}, strange)).rejects.toMatchObject({ code: 'ERR_UNAUTHORIZED' })
  cluster.close()
})

test(
  'a bot that ran alone is warned of what it leaves behind, and does not run beside its cluster',
  inAll,
  async () => {
    await using rig = await ChatRig.start()
    const cluster = new MemoryCluster()
    const stateDir = await mkdtemp(join(tmpdir(), 'botwright-left-'))
    try {
      const single = await rig.startBot({}, { stateDir })
      await expect(rig.startBot({}, { cluster, stateDir })).rejects.toMatchObject({ code: 'ERR_ALREADY_RUNNING' })
      await single.stop()
      await using _machine = await rig.startBot({}, { cluster, stateDir })
      const [warning, ...others] = rig.logged('warn')
      expect(warning).toContain('the cluster does not use the data in')
      expect(warning).toContain(join(stateDir, 'journal.db'))
      expect(others).toEqual([])
      await expect(rig.startBot({}, { stateDir })).rejects.toMatchObject({ code: 'ERR_ALREADY_RUNNING' })
    } finally {
      cluster.close()
      await rm(stateDir, { recursive: true, force: true })
    }
  },
)

test('two instances answer each command once, and both have their share', inAll, async () => {
  await using it = await members({ 'commands/ping.ts': "export default (ctx) => 'pong ' + ctx.typed" })
  const { rig, cluster, bots } = it
  for (let i = 0; i < 8; i++) await rig.says('ann', `/ping ${i}`, `c${i}`)
  for (let i = 0; i < 8; i++) await rig.until(async () => (await rig.texts(`c${i}`)).includes(`pong ${i}`))
  for (let i = 0; i < 8; i++) expect(count(await rig.texts(`c${i}`), `pong ${i}`)).toBe(1)
  const finished = () => bots.map((bot) => bot.stats().finished)
  await rig.until(() => finished().reduce((sum, one) => sum + one) === 8)
  expect(finished()).toEqual([4, 4])
  expect(rig.logged('info').filter((line) => line.startsWith('commands: '))).toEqual([
    'commands: + help, + ping',
    'commands: no change (2)',
  ])
  expect((await cluster.status(cluster.members[0]!.host)).instances.map(({ version }) => version)).toEqual(['v0', 'v1'])
})

test('the leader stops: its running handlers end, the other instance reads on, and nothing is answered twice', async () => {
  await using it = await members((rig) => ({
    'commands/slow.ts': `export default async () => { ${untilGoOn(rig)}; return 'done' }`,
  }))
  const { rig, cluster, bots } = it
  await rig.says('ann', '/slow')
  await rig.until(() => bots[0]!.stats().running === 1)
  expect(cluster.leader).toBe(cluster.members[0])
  const stopped = bots[0]!.stop()
  await goOn(rig)
  expect(await stopped).toEqual({ unfinished: 0 })
  await rig.says('ann', '/slow', 'random')
  await rig.until(async () => (await rig.texts('random')).includes('done'))
  expect(count(await rig.texts(), 'done')).toBe(1)
  expect(bots[1]!.stats().polls).toBeGreaterThan(0)
})

test.each(['inline', 'worker'] as const)(
  'an instance that was cut off ends what it ran: the other one runs it again, and nothing of the first leaves (%s)',
  inAll,
  async (dispatcher) => {
    const slow = (rig: ChatRig) => `export default async (ctx) => {
      if (ctx.redelivered) return 'again'
      ${untilGoOn(rig)}
      return 'first'
    }`
    await using it = await members(
      (rig) => ({ 'commands/slow.ts': slow(rig), 'commands/ping.ts': "export default () => 'pong'" }),
      { dispatcher },
    )
    const { rig, cluster, bots } = it
    await rig.says('ann', '/slow')
    await rig.until(() => bots.some((bot) => bot.stats().running === 1))
    const one = cluster.members.find(({ running }) => running === 1)!
    const former = one.id
    await cluster.cutOff(one)
    await rig.until(async () => (await rig.texts()).includes('again'))
    await goOn(rig)
    expect(one.id).not.toBe(former)
    // Both instances take events again, with the same code.
    for (const channel of ['c1', 'c2', 'c3', 'c4']) await rig.says('ann', '/ping', channel)
    for (const channel of ['c1', 'c2', 'c3', 'c4'])
      await rig.until(async () => (await rig.texts(channel)).includes('pong'))
    await rig.says('ann', '/slow', 'random')
    await rig.until(async () => (await rig.texts('random')).includes('first'))
    expect(await rig.texts()).not.toContain('first')
    expect(rig.logged('warn').filter((line) => line.startsWith('this instance was disconnected'))).toHaveLength(1)
  },
)

test('an answer reaches the handler that waits for it, whichever instance that is', inAll, async () => {
  const signup = `export default async (ctx) => 'welcome ' + (await ctx.ask('Your name?'))`
  await using it = await members({ 'commands/signup.ts': signup })
  const { rig, cluster } = it
  for (const channel of ['c1', 'c2', 'c3']) {
    await rig.says('ann', '/signup', channel)
    await rig.until(() => cluster.members.some(({ keys }) => keys.size > 0))
    await rig.says('ann', `Ann of ${channel}`, channel)
    await rig.until(async () => (await rig.texts(channel)).includes(`welcome Ann of ${channel}`))
  }
})

test('the leader notifies a user whose conversation was on a lost instance, once, and no other user', async () => {
  const signup = `export default async (ctx) => 'welcome ' + (await ctx.ask('Your name?'))`
  await using it = await members({ 'commands/signup.ts': signup })
  const { rig, cluster, bots } = it
  await rig.says('ann', '/signup', 'c1')
  await rig.says('ann', '/signup', 'c2')
  await rig.until(() => cluster.members.every(({ keys }) => keys.size === 1))
  await rig.until(async () => (await cluster.store.list('ask:')).length === 2)
  const cut = cluster.members[1]!
  const [key = ''] = cut.keys
  const [gone, stays] = key.includes(rig.channel('c1')) ? ['c1', 'c2'] : ['c2', 'c1']
  await cluster.cutOff(cut)
  const told = 'I restarted while waiting for your answer. Please start again: /signup'
  await rig.until(async () => (await rig.texts(gone)).some((text) => text.endsWith(told)))
  await rig.says('ann', 'Ann', stays)
  await rig.until(async () => (await rig.texts(stays)).includes('welcome Ann'))
  expect((await rig.texts(stays)).some((text) => text.endsWith(told))).toBe(false)
  expect((await rig.texts(gone)).filter((text) => text.endsWith(told))).toHaveLength(1)
  expect(bots).toHaveLength(2)
})

test(
  'a task by the clock runs once over all instances, and what any instance schedules is run by the leader',
  inAll,
  async () => {
    const files = {
      'tasks/beat.ts': `import { task } from '${framework}'
      export default task({ every: '1s', run: (ctx) => ctx.state.bot.update('at', (all) => [...(all ?? []), ctx.scheduledAt.getTime()]) })`,
      'tasks/remind.ts': `import { task } from '${framework}'
      export default task({ run: (ctx) => ctx.send(ctx.payload, 'Reminder') })`,
      'commands/remind.ts': `import remind from '../tasks/remind.mjs'
      export default async (ctx) => { await remind.schedule(ctx, { in: 300 }, ctx.channel_id) }`,
      // Waits for a beat that is not older than its argument.
      'commands/beats.ts': `export default async (ctx) => {
      for (;;) {
        const at = (await ctx.state.bot.get('at')) ?? []
        if (at.at(-1) >= Number(ctx.typed)) return JSON.stringify(at)
        await new Promise((end) => setTimeout(end, 5))
      }
    }`,
    }
    const clock = new AdvanceableClock(systemClock)
    await using it = await members(files, { clock })
    const { rig, cluster } = it
    for (const channel of ['c1', 'c2', 'c3']) await rig.says('ann', '/remind', channel)
    for (const channel of ['c1', 'c2', 'c3'])
      await rig.until(async () => (await rig.texts(channel)).includes('Reminder'))
    // The leader changes in between: its successor goes on where it stood.
    await cluster.cutOff(cluster.leader!)
    await rig.says('ann', '/remind', 'c4')
    await rig.until(async () => (await rig.texts('c4')).includes('Reminder'))
    const taken = clock.now()
    clock.advance(1000)
    await rig.says('ann', `/beats ${taken}`, 'c5')
    await rig.until(async () => (await rig.texts('c5')).some((text) => text.startsWith('[')))
    const beats = JSON.parse((await rig.texts('c5')).find((text) => text.startsWith('['))!) as number[]
    expect(new Set(beats).size).toBe(beats.length)
    expect(beats.length).toBeGreaterThan(0)
    for (const channel of ['c1', 'c2', 'c3', 'c4']) expect(count(await rig.texts(channel), 'Reminder')).toBe(1)
    expect(rig.logged('error')).toEqual([])
  },
)

test('a new leader leaves a task alone that still runs on a living instance, and runs that of an instance that is gone again', async () => {
  const slow = `import { appendFileSync, existsSync } from 'node:fs'
    import { task } from '${framework}'
    export default task({ every: '1h', missed: 'once', retry: true, run: async (ctx) => {
      appendFileSync(NOTES, 'start\\n')
      while (!existsSync(NOTES + '.go-on')) await new Promise((end) => setTimeout(end, 5))
      appendFileSync(NOTES, 'end\\n')
    } })`
  await using rig = await ChatRig.start()
  const files = { 'tasks/slow.ts': slow.replaceAll('NOTES', JSON.stringify(rig.root + '/notes.txt')) }
  const cluster = new MemoryCluster()
  // Its schedule is known, and an hour has passed since.
  const pattern = JSON.stringify([3_600_000, undefined])
  await cluster.store.set('task:last:slow', { scheduledAtMs: Date.now() - 7_200_000, state: 'done', pattern })
  const start = () => rig.startBot(files, { cluster, dispatcher: 'inline' })
  const [first, second] = [await start(), await start()]
  const notes = () => (existsSync(rig.root + '/notes.txt') ? rig.read('notes.txt') : [])
  await rig.until(() => notes().length === 1)
  const stopped = first.stop()
  await rig.until(() => cluster.leader === cluster.members[1])
  expect(notes()).toEqual(['start'])
  await writeFile(rig.root + '/notes.txt.go-on', '')
  await stopped
  expect(notes()).toEqual(['start', 'end'])
  await second.stop()
  // Now one that dies while it runs.
  await cluster.store.set('task:last:slow', {
    scheduledAtMs: Date.now() - 7_200_000,
    state: 'running',
    pattern,
    machine: 'memory-gone',
  })
  const third = await start()
  await rig.until(() => notes().filter((line) => line === 'end').length >= 2)
  expect(rig.logged('warn').filter((line) => line.includes('was interrupted and runs again'))).toHaveLength(1)
  await third.stop()
  cluster.close()
})

test(
  'a broadcast continues after its instance is gone, and any instance returns its status and can cancel it',
  inAll,
  async () => {
    const ids = (rig: ChatRig) => Array.from({ length: 12 }, (_, i) => rig.channel(`c${i}`))
    await using rig = await ChatRig.start()
    // The message budget of the cluster follows its clock.
    const clock = new VirtualClock(Date.now())
    const cluster = new MemoryCluster(clock)
    const posted = (channel: string, ...texts: string[]) =>
      rig.until(async () => {
        const all = await rig.texts(channel)
        return texts.some((text) => all.includes(text)) || (await clock.advance(100), false)
      })
    const files = {
      'commands/news.ts': `export default async (ctx) => {
      const broadcast = await ctx.broadcast(${JSON.stringify(ids(rig))}, ctx.typed, { id: ctx.typed })
      const { state, sent } = await broadcast.done()
      return state + ' ' + sent.length
    }`,
      'commands/stop.ts': `export default async (ctx) => {
      const broadcast = await ctx.broadcast(['x'], 'x', { id: ctx.typed })
      return (await broadcast.cancel()).state
    }`,
    }
    const config = { messageBudget: { requests: 4, seconds: 1 } }
    const bots = [await rig.startBot(files, { cluster, config }), await rig.startBot(files, { cluster, config })]
    await rig.says('ann', '/news Hello')
    await posted('c3', 'Hello')
    const sender = cluster.members.find(({ running }) => running === 1)!
    await rig.says('ann', '/news Hello', 'random')
    await rig.until(() => cluster.members.every(({ running }) => running === 1))
    await cluster.cutOff(sender)
    await posted('random', 'done 12', 'done 11')
    for (let i = 0; i < 12; i++) expect(count(await rig.texts(`c${i}`), 'Hello')).toBe(1)
    await rig.says('ann', '/news Bye')
    await posted('c1', 'Bye')
    await rig.says('ann', '/stop Bye', 'random')
    // Before the clock moves, so that no further message is sent.
    await rig.until(
      async () => ((await cluster.store.get('broadcast:Bye'))!.value as { ended?: string }).ended === 'cancelled',
    )
    await posted('random', 'cancelled')
    expect(await rig.texts('c11')).not.toContain('Bye')
    for (const bot of bots) await bot.stop({ graceMs: 0 })
    cluster.close()
  },
)

test.each(['inline', 'worker'] as const)(
  'logs no error for a handler whose instance was cut off (%s)',
  inAll,
  async (dispatcher) => {
    const slow = (rig: ChatRig) => `export default async (ctx) => {
      await ctx.reply(ctx.redelivered ? 'again' : 'begun')
      if (ctx.redelivered) return
      ${untilGoOn(rig)}
      await ctx.reply('stale')
    }`
    await using it = await members((rig) => ({ 'commands/slow.ts': slow(rig) }), { dispatcher })
    const { rig, cluster } = it
    await rig.says('ann', '/slow')
    await rig.until(async () => (await rig.texts()).includes('begun'))
    const cut = cluster.members.find(({ running }) => running === 1)!
    // The handler goes on before it is ended.
    await cluster.cutOff(cut, async () => {
      await goOn(rig)
      await rig.until(async () => (await rig.texts()).includes('again'))
      await rig.until(() => rig.logged('info').some((line) => line.includes('slow.ts: stopped')))
    })
    expect(await rig.texts()).toEqual(['/slow', 'begun', 'again'])
    expect(rig.logged('error')).toEqual([])
  },
)

test('a replayed event runs regardless of catchUp', async () => {
  const files = {
    'commands/ping.ts': "export default async (ctx) => { await ctx.send(ctx.channel_id, 'pong') }",
  }
  const moments: string[] = []
  const note = (moment: string) => (delivery: Delivery) => {
    if (delivery.event.id === 999_999) moments.push(moment)
  }
  const observer = { started: note('started'), unrun: note('unrun'), settled: note('settled') }
  await using it = await members(files, { config: { catchUp: { message: '1m' } }, observer })
  const { rig, cluster, bots } = it
  const data = {
    id: 'm',
    channel_id: rig.channel('c1'),
    server_id: null,
    author_id: 'x',
    author: 'x',
    content: '/ping',
  }
  const event = {
    id: 999_999,
    type: 'message',
    data: { ...data, command: 'ping', args: '' },
    created_at: '2026-01-01T00:00:00Z',
  }
  cluster.publish(event)
  await rig.until(() => bots.some((bot) => bot.stats().skipped === 1))
  expect(moments).toEqual(['started', 'unrun', 'settled'])
  cluster.aside.set(event.id, { event, reason: 'the test says so', atMs: 0 })
  expect(await cluster.replay(cluster.members[0]!.host, 'all')).toEqual([event.id])
  await rig.until(async () => (await rig.texts('c1')).includes('pong'))
})

test(
  'an event that crashed its thread three times is set aside for all instances, and the log names the command to replay it',
  inAll,
  async () => {
    await using it = await members(
      { 'commands/die.ts': 'export default () => process.exit(7)' },
      { dispatcher: 'worker' },
    )
    const { rig, cluster } = it
    await rig.says('ann', '/die')
    await rig.until(() => cluster.aside.size === 1)
    const [id] = cluster.aside.keys()
    const told = `event ${id} is set aside after 3 attempts; framework cluster replay ${id} runs it again`
    await rig.until(() => rig.logged('error').some((line) => line.includes(told)))
  },
)

test('a cluster keeps the values itself: a store of the author is refused', async () => {
  await using rig = await ChatRig.start()
  const cluster = new MemoryCluster()
  await expect(
    rig.startBot({}, { cluster, config: { store: ({ clock }) => new MemoryStore(clock) } }),
  ).rejects.toMatchObject({ code: 'ERR_CONFIG', message: expect.stringContaining('store cannot be set in a cluster') })
  cluster.close()
})

import { existsSync } from 'node:fs'
import { type Clock, systemClock, VirtualClock } from '@botwright/clock'
import type { Delivery } from '@botwright/events'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { MemoryCluster } from './memory-cluster.test.fixture.ts'
import { members } from './two-instances.test.fixture.ts'

const framework = new URL('../../../dist/index.js', import.meta.url).href

/** A button whose handler never ends, on a message in `general`. */
const pollFiles = {
  'commands/vote.ts': `import slow from '../buttons/slow.mjs'
    import { row } from '${framework}'
    export default () => ({ content: 'Vote', components: [row(slow.button({ label: 'Yes' }))] })`,
  'buttons/slow.ts': `import { button } from '${framework}'
    export default button({ run: () => new Promise(() => {}) })`,
}

test('a click is acknowledged 2 s after it was made, even if its instance was cut off before', async () => {
  const clock = new VirtualClock(Date.now())
  await using it = await members(pollFiles, {}, undefined, clock)
  const { rig, cluster, bots } = it
  const acks = () => bots.map((bot) => bot.stats().acks)
  await rig.says('ann', '/vote')
  await rig.clicks()
  await rig.until(() => [...cluster.lanes.values()].some(([job]) => job?.event.type === 'interaction' && job.runner))
  const runner = cluster.members.find(({ running }) => running === 1)!
  await cluster.cutOff(runner)
  await rig.until(() => cluster.members.some(({ running }) => running === 1))
  expect(acks()).toEqual([0, 0])
  const isDone = () => [...cluster.answers.values()].join() === 'true'
  // Exactly to the first turn, which is 2 s after the time of the click.
  await rig.until(async () => cluster.acking > 0 || isDone() || (await clock.advance(100), false))
  await rig.until(isDone)
  await clock.advance(1000)
  expect(cluster.acking).toBe(0)
  expect(acks().sort()).toEqual([0, 1])
  expect(await rig.callbacks()).toEqual(['ack'])
})

test('an answer whose click id is in upper case is the answer of that click [spec: decisions/52]', async () => {
  await using rig = await ChatRig.start()
  const clock = new VirtualClock(Date.now())
  const cluster = new MemoryCluster(clock)
  const answer = `export default ({ api, event: { id, token } }) =>
    api.interactions.callback({ interaction_id: id.toUpperCase(), token, type: 'reply', content: 'voted' })`
  const bot = await rig.startBot({ 'buttons/slow.ts': answer }, { cluster, dispatcher: 'inline' })
  const { id: message_id } = await bot.call('messages.create', {
    ...{ channel_id: rig.channel('general'), content: 'Vote' },
    components: [{ type: 'row', components: [{ type: 'button', style: 'primary', label: 'Yes', custom_id: 'slow' }] }],
  })
  const click = { channel_id: rig.channel('general'), message_id, custom_id: 'slow' }
  const { interaction_id } = await rig.person('ann').clicks.create(click)
  await rig.until(() => [...cluster.answers.values()].includes(true))
  expect([...cluster.answers.keys()]).toEqual([interaction_id])
  await clock.advance(5000)
  expect(await rig.callbacks()).toEqual(['reply'])
  await bot.stop({ graceMs: 0 })
  cluster.close()
})

test('while a click is being acknowledged, its second turn on the same instance waits for the outcome of the first', async () => {
  await using rig = await ChatRig.start()
  const clock = new VirtualClock(Date.now())
  const cluster = new MemoryCluster(clock)
  const bot = await rig.startBot(pollFiles, { cluster, dispatcher: 'inline' })
  const untilAnswers = (answers: string) =>
    rig.until(async () => [...cluster.answers.values()].join() === answers || (await clock.advance(100), false))
  await rig.says('ann', '/vote')
  await rig.clicks()
  // Several turns long by the cluster's clock.
  await rig.fault('POST', '/v1/interactions/*', { then: 'slow', seconds: 0.3 })
  await untilAnswers('true')
  expect(await rig.callbacks()).toEqual(['ack'])
  // An instance that fails leaves the click to the next turn.
  await rig.fault('POST', '/v1/interactions/*', { then: { status: 503 } })
  await rig.says('ann', '/vote', 'random')
  await rig.clicks('random')
  await untilAnswers('true,true')
  expect((await rig.calls('POST', /\/callback$/)).map(({ status }) => status)).toEqual([200, 503, 200])
  await bot.stop({ graceMs: 0 })
  cluster.close()
})

test('an instance that was paused before an acknowledgement does not send it after the turn of another one', async () => {
  const clock = new VirtualClock(Date.now())
  await using it = await members(pollFiles, {}, undefined, clock)
  const { rig, cluster } = it
  const [first] = cluster.members
  const answering = first!.answering.bind(first)
  let isPaused = false
  let goOn = () => {}
  const paused = new Promise<void>((resolve) => (goOn = resolve))
  first!.answering = async (id, answered) => {
    isPaused = true
    await paused
    return answering(id, answered)
  }
  await rig.says('ann', '/vote')
  await rig.clicks()
  await rig.until(async () => isPaused || (await clock.advance(100), false))
  // Longer than the time between its turn and that of the other instance.
  await clock.advance(900)
  goOn()
  await rig.until(async () => [...cluster.answers.values()].join() === 'true' || (await clock.advance(100), false))
  await rig.until(() => cluster.acking === 0)
  expect(await rig.callbacks()).toEqual(['ack'])
  expect([...rig.logged('warn'), ...rig.logged('error')]).toEqual([])
})

test('clicks that failed while no instance ran have no effect later; clicks made during a takeover do', async () => {
  await using rig = await ChatRig.start()
  let laterMs = 0
  const late: Clock = { ...systemClock, now: () => Date.now() + laterMs }
  const cluster = new MemoryCluster(late)
  const files = {
    'buttons/vote.ts': `import { appendFileSync } from 'node:fs'
      export default (ctx) => (appendFileSync('${rig.root}/votes.txt', 'x'), ctx.update({ content: 'counted' }))`,
    'commands/echo.ts': 'export default (ctx) => ctx.typed',
  }
  const moments: string[] = []
  const note = (moment: string) => (delivery: Delivery) => {
    if (delivery.event.type === 'interaction') moments.push(moment)
  }
  const observer = {
    ...{ received: note('received'), started: note('started') },
    ...{ unrun: note('unrun'), settled: note('settled') },
  }
  const start = () => rig.startBot(files, { cluster, clock: late, dispatcher: 'inline', observer })
  const first = await start()
  const button = { type: 'button', style: 'primary', label: 'Yes', custom_id: 'vote' } as const
  const board = await first.call('messages.create', {
    channel_id: rig.channel('general'),
    content: 'vote',
    components: [{ type: 'row', components: [button] }],
  })
  const click = () =>
    rig.person('ann').clicks.create({ channel_id: rig.channel('general'), message_id: board.id, custom_id: 'vote' })
  await first.stop()
  await click()
  await rig.says('ann', '/echo meanwhile')

  // By the clocks of these instances, everything is a minute old.
  laterMs = 60_000
  const [second, third] = [await start(), await start()]
  await rig.until(async () => (await rig.texts()).includes('meanwhile'))
  await rig.until(() =>
    rig.logged('info').some((line) => line.startsWith('1 click was skipped: made while the bot was offline')),
  )
  expect(second.stats()).toMatchObject({ skipped: 1, acks: 0 })
  expect(moments).toEqual(['received', 'started', 'unrun', 'settled'])
  await click()
  await rig.until(() => existsSync(`${rig.root}/votes.txt`))
  const stopped = second.stop()
  await click()
  await rig.until(() => rig.read('votes.txt')[0] === 'xx')
  await stopped
  expect(second.stats().skipped + third.stats().skipped).toBe(1)
  await third.stop()
  cluster.close()
})

test.each([-60_000, 60_000])(
  'after a failover to an instance whose clock is %d ms ahead, clicks and messages of the meantime run',
  async (aheadMs) => {
    await using rig = await ChatRig.start()
    const cluster = new MemoryCluster()
    const files = {
      'buttons/vote.ts': "export default (ctx) => ctx.update({ content: 'counted' })",
      'commands/echo.ts': 'export default (ctx) => ctx.typed',
    }
    const start = (clock: Clock) =>
      rig.startBot(files, { cluster, clock, dispatcher: 'inline', config: { catchUp: { message: '30s' } } })
    const first = await start(systemClock)
    const channel_id = rig.channel('general')
    const button = { type: 'button', style: 'primary', label: 'Yes', custom_id: 'vote' } as const
    const { id: message_id } = await first.call('messages.create', {
      channel_id,
      content: 'vote',
      components: [{ type: 'row', components: [button] }],
    })
    await first.stop()
    await rig.person('ann').clicks.create({ channel_id, message_id, custom_id: 'vote' })
    await rig.says('ann', '/echo meanwhile')
    const second = await start({ ...systemClock, now: () => Date.now() + aheadMs })
    await rig.until(async () => (await rig.texts()).includes('meanwhile'))
    await rig.until(async () => (await rig.texts()).includes('counted'))
    expect(second.stats().skipped).toBe(0)
    await second.stop()
    cluster.close()
  },
)

test('a published click has no effect later if all instances were gone before one started or acknowledged it', async () => {
  await using rig = await ChatRig.start(['ann', 'bob', 'cid'])
  const engineClock = new VirtualClock(Date.now())
  const cluster = new MemoryCluster(engineClock)
  const files = {
    'commands/vote.ts': pollFiles['commands/vote.ts'],
    'buttons/slow.ts': `import { appendFileSync } from 'node:fs'
      import { button } from '${framework}'
      export default button({ run: async (ctx) => {
        appendFileSync('${rig.root}/votes.txt', ctx.event.username + (ctx.redelivered ? ' again' : '') + '\\n')
        if (!ctx.redelivered && ctx.event.username === 'ann') await new Promise(() => {})
      } })`,
  }
  const notes = () => (existsSync(`${rig.root}/votes.txt`) ? rig.read('votes.txt') : [])
  const start = () => rig.startBot(files, { cluster, dispatcher: 'inline' })
  const first = await start()
  await rig.says('ann', '/vote')
  // A running click, a queued one that is acknowledged in time, and one that is not.
  await rig.clicks('general', 'ann')
  await rig.until(() => notes().length === 1)
  await rig.clicks('general', 'bob')
  await rig.until(async () => first.stats().acks === 2 || (await engineClock.advance(100), false))
  await rig.clicks('general', 'cid')
  await rig.until(() => [...cluster.lanes.values()].some((lane) => lane.length === 3))
  const [member] = cluster.members
  // As if the process had been killed.
  member!.loseLease()
  cluster.members.pop()
  await rig.until(async () => cluster.failed.size === 1 || (await engineClock.advance(100), false))
  await engineClock.advance(10_000)
  const second = await start()
  await rig.until(() => notes().length === 3)
  await rig.until(() => second.stats().skipped === 1)
  expect(notes()).toEqual(['ann', 'ann again', 'bob'])
  await second.stop({ graceMs: 0 })
  expect(rig.logged('info').filter((line) => line.includes('was skipped'))).toEqual([
    expect.stringContaining('1 click was skipped: made while the bot was offline'),
  ])
  await first.stop({ graceMs: 0 })
  cluster.close()
})

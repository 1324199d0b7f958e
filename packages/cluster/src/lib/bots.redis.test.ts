// @module-tag all/redis
// Whole bots on many instances: `framework start --cluster` in processes of their own, a real service, a real Redis.

import { Redis } from 'ioredis'
import { expect } from 'vitest'
import { BotRig, framework } from './bot-rig.test.fixture.ts'
import { keysOf } from './redis/keys.ts'
import { describeWithRedis, testWithRedis as test } from './redis-rig.test.fixture.ts'

const count = (texts: string[], text: string) => texts.filter((one) => one === text).length
const bot = (rig: BotRig, version: string) => ({
  'commands/ping.ts': `export default () => 'pong ${version}'`,
  'commands/slow.ts': `export default async () => { await new Promise((end) => setTimeout(end, 700)); return 'slow' }`,
  'commands/signup.ts': `${rig.note}export default async (ctx) => note(ctx.channel_id + ' ' + process.pid) ?? 'welcome ' + (await ctx.ask('Your name?'))`,
  'commands/vote.ts': `import slow from '../buttons/slow.mjs'
    import { row } from '${framework}'
    export default () => ({ content: 'Vote', components: [row(slow.button({ label: 'Yes' }))] })`,
  'buttons/slow.ts': `${rig.note}import { button } from '${framework}'
    export default button({ run: async (ctx) => { note('click ' + process.pid); await new Promise((end) => setTimeout(end, 60_000)) } })`,
  'tasks/beat.ts': `${rig.note}import { task } from '${framework}'
    export default task({ every: '1s', run: (ctx) => note('beat ' + ctx.scheduledAt.getTime()) })`,
})

describeWithRedis('a bot on many instances', () => {
  test('with two builds at once, each command is answered once, commands are registered once, and a task runs once', async () => {
    await using rig = await BotRig.start()
    rig.build('one', bot(rig, 'one'), 'export default { messageBudget: false }')
    rig.build('two', bot(rig, 'two'), 'export default { messageBudget: false }')
    const [one, two] = [await rig.instance('one'), await rig.instance('two')]
    const channels = Array.from({ length: 12 }, (_, i) => `c${i}`)
    // Of two instances that wait for a partition, the one that has waited longer gets the next event.
    for (const round of [1, 2]) {
      for (const channel of channels) await rig.says('/ping', channel)
      for (const channel of channels) await rig.until(async () => (await rig.texts(channel)).length === 2 * round)
    }
    const answers = (await Promise.all(channels.map((channel) => rig.texts(channel)))).flat()
    expect(answers.filter((text) => text.startsWith('pong'))).toHaveLength(24)
    expect(new Set(answers)).toEqual(new Set(['/ping', 'pong one', 'pong two']))
    await rig.until(() => rig.notes().length >= 2)
    expect(new Set(rig.notes()).size).toBe(rig.notes().length)
    expect(one.output()).toContain('commands: + help, + ping, + signup, + slow, + vote')
    expect(two.output()).toContain('commands: no change')
    expect(rig.leader).toBe(one)
    // Read from a process that runs no bot.
    const look = rig.run(['cluster', 'status', '--json', '--cluster', rig.redis.url])
    expect(await look.ended).toBe(0)
    const status = JSON.parse(look.output()) as { instances: { leads: boolean; version: string }[]; term: number }
    expect(status).toMatchObject({
      term: 1,
      set_aside: [],
      position: { after: expect.any(Number) },
      lag_seconds: expect.any(Number),
    })
    expect(status.instances.map(({ leads, version }) => [leads, version])).toEqual([
      [true, '1.2.3'],
      [false, '1.2.3'],
    ])
    const [shown, none] = [
      rig.run(['cluster', 'status'], { BOT_CLUSTER_URL: rig.redis.url }),
      rig.run(['cluster', 'replay', '7'], { BOT_CLUSTER_URL: rig.redis.url }),
    ]
    expect(await shown.ended).toBe(0)
    expect(shown.output()).toMatch(/^Leader {5}\S+ \(term 1\)\nPosition {3}event \d+, saved .* ago\n/)
    expect(await none.ended).toBe(1)
    expect(none.output()).toMatch(/^7: not set aside; framework cluster status lists the events that are\n/)
    // The first instance is upgraded: it finishes its running handlers, and the other one continues to read.
    await rig.says('/slow')
    await new Promise((end) => setTimeout(end, 200))
    one.child.kill('SIGTERM')
    expect(await one.ended).toBe(0)
    await rig.says('/ping', 'random')
    await rig.until(async () => (await rig.texts('random')).includes('pong two'))
    await rig.until(async () => (await rig.texts()).includes('slow'))
    expect(count(await rig.texts(), 'slow')).toBe(1)
    two.child.kill('SIGTERM')
    expect(await two.ended).toBe(0)
  })

  test('a monitor can distinguish no leader, a missing setting, a wrong token and an unavailable Redis', async () => {
    await using rig = await BotRig.start()
    const looks = [
      rig.run(['cluster', 'status'], { BOT_CLUSTER_URL: rig.redis.url }),
      rig.run(['cluster', 'status']),
      rig.run(['cluster', 'status'], { BOT_CLUSTER_URL: rig.redis.url, BOT_TOKEN: 'another' }),
      rig.run(['cluster', 'status'], { BOT_CLUSTER_URL: 'redis://127.0.0.1:1' }),
    ]
    expect(await Promise.all(looks.map(({ ended }) => ended))).toEqual([69, 78, 77, 1])
    expect(looks[0]!.output()).toContain('Leader     none')
  })

  test('the commands are those of the newest code that runs, whichever instance starts last', async () => {
    await using rig = await BotRig.start()
    const say = (text: string) => `export default () => '${text}'`
    rig.build('old', { 'commands/shift.ts': say('old shift') })
    rig.build('new', { 'commands/shift.ts': say('new shift'), 'commands/who.ts': say('new who') })
    // A starting instance waits for a failing service.
    await rig.fails('GET', '/v1/commands', 5)
    const one = await rig.instance('old')
    expect(one.output()).toContain('is not responding yet')
    expect(one.output()).toContain('commands: + help, + shift')
    const two = await rig.instance('new')
    expect(two.output()).toContain('commands: + who')
    // Like an old instance that restarts in the middle of the rollout.
    const again = await rig.instance('old')
    expect(again.output()).toMatch(/commands: left unchanged, because instance \S+ runs newer code \(version 1\.2\.3\)/)
    expect(again.output()).not.toContain('- who')
    two.child.kill('SIGKILL')
    await rig.until(() => rig.leader.output().includes('commands: - who'))
  })

  test('if the leader is killed while it runs a click, the click is acknowledged, and the next event is answered', async () => {
    await using rig = await BotRig.start()
    rig.build('one', bot(rig, 'one'), 'export default { messageBudget: false }')
    await rig.instance('one')
    await rig.instance('one')
    await rig.says('/vote')
    await rig.until(async () => (await rig.messages()).some(({ components }) => components?.length))
    const posted = (await rig.messages()).find(({ components }) => components?.length)!
    const { id: message_id, channel_id, components } = posted
    const custom_id = components[0]!.components[0]!.custom_id!
    const { interaction_id } = await rig.person().clicks.create({ channel_id, message_id, custom_id })
    await rig.until(() => rig.notes().some((line) => line.startsWith('click')))
    const pid = rig
      .notes()
      .find((line) => line.startsWith('click'))!
      .split(' ')[1]
    rig.instances.find(({ child }) => String(child.pid) === pid)!.child.kill('SIGKILL')
    await rig.says('/ping', 'c1')
    await rig.until(async () => (await rig.texts('c1')).includes('pong one'))
    const stateOf = async () => (await rig.person().clicks.get({ interaction_id })).state
    await rig.until(async () => (await stateOf()) !== 'waiting')
    await rig.until(() =>
      rig.leader
        .output()
        .includes('is gone: it crashed, or lost its connection; 1 event that it was running runs again'),
    )
    expect(await stateOf()).toBe('answered')
  })

  test('an answer reaches its waiting handler; if that instance was killed, the user is notified', async () => {
    await using rig = await BotRig.start()
    rig.build('one', bot(rig, 'one'), 'export default { messageBudget: false }')
    await rig.instance('one')
    await rig.instance('one')
    for (const channel of ['c1', 'c2', 'c3', 'c4']) {
      await rig.says('/signup', channel)
      await rig.until(async () => (await rig.texts(channel)).includes('Your name?'))
      await rig.says(`Ann of ${channel}`, channel)
      await rig.until(async () => (await rig.texts(channel)).includes(`welcome Ann of ${channel}`))
    }
    for (const channel of ['c5', 'c6', 'c7', 'c8']) await rig.says('/signup', channel)
    for (const channel of ['c5', 'c6', 'c7', 'c8'])
      await rig.until(async () => (await rig.texts(channel)).includes('Your name?'))
    const pidOf = (channel: string) =>
      rig
        .notes()
        .findLast((line) => line.startsWith(rig.channel(channel)))!
        .split(' ')[1]
    // The instance records the wait only after it has posted the question.
    const { names } = keysOf(rig.service.base_url, rig.service.world.bots['helper']!.id).state
    const client = new Redis(rig.redis.url)
    await rig.until(async () => (await client.zrangebylex(names, '[ask:', '(ask;')).length === 4)
    client.disconnect()
    rig.instances.find(({ child }) => String(child.pid) === pidOf('c5'))!.child.kill('SIGKILL')
    const told = (texts: string[]) => texts.filter((text) => text.includes('I restarted while')).length
    const all = () => Promise.all(['c5', 'c6', 'c7', 'c8'].map((channel) => rig.texts(channel)))
    await rig.until(async () => told(await rig.texts('c5')) === 1)
    const gone = pidOf('c5')
    for (const channel of ['c6', 'c7', 'c8'].filter((one) => pidOf(one) === gone))
      await rig.until(async () => told(await rig.texts(channel)) === 1)
    const kept = (await all()).findIndex((texts) => told(texts) === 0)
    if (kept >= 0) {
      const channel = `c${kept + 5}`
      await rig.says('Ann', channel)
      await rig.until(async () => (await rig.texts(channel)).includes('welcome Ann'))
    }
    expect((await all()).map(told).every((times) => times <= 1)).toBe(true)
  })

  test('a broadcast continues after the instance that sends it is killed', async () => {
    await using rig = await BotRig.start()
    const ids = Array.from({ length: 12 }, (_, i) => rig.channel(`c${i}`))
    const news = `${rig.note}export default async (ctx) => {
      note('news ' + process.pid)
      await ctx.broadcast(${JSON.stringify(ids)}, 'Hello', { id: 'hello' })
    }`
    rig.build('one', { 'commands/news.ts': news }, 'export default { messageBudget: { requests: 3, seconds: 1 } }')
    await rig.instance('one')
    await rig.instance('one')
    await rig.says('/news')
    await rig.until(async () => (await rig.texts('c2')).includes('Hello'))
    const pid = rig.notes()[0]!.split(' ')[1]
    rig.instances.find(({ child }) => String(child.pid) === pid)!.child.kill('SIGKILL')
    await rig.until(async () => (await rig.texts('c11')).includes('Hello'))
    const all = (await Promise.all(ids.map((_, i) => rig.texts(`c${i}`)))).flat()
    // The message in flight may have arrived, so it is not sent again (decisions row 32).
    expect(all.filter((text) => text === 'Hello').length).toBeGreaterThanOrEqual(11)
    for (let i = 0; i < 12; i++) expect(count(await rig.texts(`c${i}`), 'Hello')).toBeLessThanOrEqual(1)
  })
})

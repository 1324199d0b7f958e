// @module-tag all/redis
// Instances on hosts whose clocks differ: `framework start --cluster` in processes of their own, a real service, a real Redis.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import { BotRig, framework } from './bot-rig.test.fixture.ts'
import { describeWithRedis, testWithRedis as test } from './redis-rig.test.fixture.ts'

const durable = (body: string) => `import { command } from '${framework}'
  export default command({ description: 'x', durable: true, run: async (ctx) => { ${body} } })`
const files = {
  'commands/days.ts': durable("return 'got ' + (await ctx.ask('How many days?', { timeout: '5m' }))"),
  'commands/nap.ts': durable("await ctx.reply('napping'); await ctx.sleep('8m'); return 'woke up'"),
  'commands/pick.ts': durable("return 'picked ' + (await ctx.choose('Which?', ['a', 'b'], { timeout: '5m' }))"),
  'commands/quick.ts': durable("await ctx.reply('soon'); await ctx.sleep('2s'); return 'now'"),
  'commands/call.ts': `import { command } from '${framework}'
    export default command({ description: 'x', run: async (ctx) => {
      await ctx.schedule('ring', { in: '8m' }, ctx.channel_id)
      return 'in 8 minutes'
    } })`,
  'tasks/ring.ts': `import { task } from '${framework}'
    export default task({ run: (ctx) => ctx.send(ctx.payload, 'ring') })`,
}
const shift = (minutes: number) => `const now = Date.now
  const Real = Date
  globalThis.Date = class extends Real {
    constructor(...given) {
      if (given.length === 0) super(Date.now())
      else super(...given)
    }
    static now = () => now() + ${minutes * 60_000}
  }`

/** The environment of an instance whose clock is wrong by this much. */
function wrongBy(rig: BotRig, minutes: number): Record<string, string> {
  const file = join(rig.root, `shift${minutes}.mjs`)
  writeFileSync(file, shift(minutes))
  return { NODE_OPTIONS: `--import ${pathToFileURL(file).href}` }
}

describeWithRedis('instances whose clocks differ', () => {
  const ahead = [
    [0, 10],
    [10, 0],
    [-10, 30],
  ] as const
  for (const [first, second] of ahead)
    test(`questions, sleeps and timers last as long as they should (${first} and ${second} minutes ahead)`, async () => {
      await using rig = await BotRig.start()
      rig.build('bot', files, 'export default { messageBudget: false }')
      const a = await rig.instance('bot', wrongBy(rig, first))
      const begun = { general: '/days', random: '/nap', c1: '/pick', c2: '/call' }
      for (const [channel, text] of Object.entries(begun)) await rig.says(text, channel)
      for (const channel of Object.keys(begun)) await rig.until(async () => (await rig.texts(channel)).length === 2)
      await rig.instance('bot', wrongBy(rig, second))
      a.child.kill('SIGTERM')
      await a.ended
      // The other instance leads, and wakes what is due.
      await rig.says('/quick', 'c3')
      await rig.until(async () => (await rig.texts('c3')).at(-1) === 'now')
      for (const channel of Object.keys(begun)) expect(await rig.texts(channel)).toHaveLength(2)
      await rig.says('3')
      await rig.until(async () => (await rig.texts()).at(-1) === 'got 3')
      const [question] = await rig.buttons(1, 'c1')
      await rig.clicks(question!, 'c1')
      await rig.until(async () => (await rig.texts('c1')).some((text) => text.includes('picked a')))
    })

  test('the age of a waiting event does not depend on the clock of the host', async () => {
    await using rig = await BotRig.start()
    const config = 'export default { messageBudget: false, health: { port: 0 } }'
    rig.build('bot', { 'commands/slow.ts': 'export default () => new Promise(() => {})' }, config)
    const one = await rig.instance('bot', wrongBy(rig, 16))
    for (const text of ['/slow 1', '/slow 2']) await rig.says(text)
    const metrics = async () => {
      const [, address] = /health endpoint listening on (\S+)"/.exec(one.output())!
      return (await fetch(`${address}/metrics`)).text()
    }
    const valueOf = async (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await metrics())?.[1])
    await rig.until(async () => (await valueOf('botwright_cluster_waiting')) === 1)
    expect(await valueOf('botwright_cluster_lag_seconds')).toBeLessThan(60)
    for (const minutes of [60, -60]) {
      const env = { ...wrongBy(rig, minutes), BOT_CLUSTER_URL: rig.redis.url }
      const status = rig.run(['cluster', 'status', '--json'], env)
      expect(await status.ended, status.output()).toBe(0)
      const { lag_seconds } = JSON.parse(status.output()) as { lag_seconds: number }
      expect(lag_seconds).toBeGreaterThan(0)
      expect(lag_seconds).toBeLessThan(60)
    }
  })

  test('a command line on a host whose clock is ahead removes no value of the bot', async () => {
    await using rig = await BotRig.start()
    const files = {
      'commands/keep.ts': `import { command, cooldown } from '${framework}'
        export default command({ description: 'x', guards: [cooldown('10m')], run: () => 'kept' })`,
      'commands/roll.ts': "export default () => 'rolled'",
    }
    rig.build('bot', files, 'export default { messageBudget: false }')
    await rig.instance('bot')
    await rig.says('/keep')
    await rig.until(async () => (await rig.texts()).at(-1) === 'kept')
    const env = { ...wrongBy(rig, 60), BOT_CLUSTER_URL: rig.redis.url }
    const off = rig.run(['off', '/roll', '--build', 'bot'], env)
    expect(await off.ended, off.output()).toBe(0)
    await rig.says('/keep')
    await rig.until(async () => (await rig.texts()).at(-1)?.startsWith('Wait ') === true)
  })
})

// @module-tag all/redis
// `framework replay` of a bot that runs as a cluster: a real service, a real Redis.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { BotRig } from './bot-rig.test.fixture.ts'
import { describeWithRedis, testWithRedis as test } from './redis-rig.test.fixture.ts'

describeWithRedis('a replay in the folder of a cluster', () => {
  test('work that an instance has done once is not done again', async () => {
    await using rig = await BotRig.start()
    const pay = `${rig.note}export default async (ctx) => {
      await ctx.once('pay', () => note('paid'))
      return 'paid at ' + Date.now()
    }`
    rig.build('bot', { 'commands/pay.ts': pay }, 'export default { record: true }')
    // The source, from which the replay builds.
    mkdirSync(join(rig.root, 'commands'))
    writeFileSync(join(rig.root, 'commands/pay.ts'), pay)
    const one = await rig.instance('bot')
    await rig.says('/pay')
    await rig.until(async () => (await rig.texts()).length === 2)
    const replay = () => rig.run(['replay', '--since', '1h'], { BOT_CLUSTER_URL: rig.redis.url })
    const early = replay()
    expect(await early.ended, early.output()).not.toBe(0)
    one.child.kill('SIGTERM')
    await one.ended
    const late = replay()
    expect(await late.ended, late.output()).toBe(0)
    expect(await rig.texts()).toEqual(['/pay', expect.stringMatching(/^paid at/), expect.stringMatching(/^paid at/)])
    expect(rig.notes()).toEqual(['paid'])
  })
})

// @module-tag all/redis
// An event that kills each instance on which it runs: `framework start --cluster` in processes of their own.

import { Redis } from 'ioredis'
import { expect } from 'vitest'
import { BotRig } from './bot-rig.test.fixture.ts'
import { describeWithRedis, testWithRedis as test } from './redis-rig.test.fixture.ts'

describeWithRedis('an event that kills its instances', () => {
  test('is set aside at the third death, shown, and run again on request', async () => {
    await using rig = await BotRig.start()
    const poison = `${rig.note}export default (ctx) => {
      note(process.pid + (ctx.redelivered ? ' again' : ''))
      if (ctx.typed === 'now') process.kill(process.pid, 'SIGKILL')
      return 'it lives'
    }`
    // The second build has the fix.
    const files = (text: string) => ({ 'commands/poison.ts': text, 'commands/ping.ts': `export default () => 'pong'` })
    rig.build('one', files(poison), 'export default { messageBudget: false }')
    rig.build('two', files(poison.replace("'now'", "''")), 'export default { messageBudget: false }')
    await rig.instance('one')
    const admin = new Redis(rig.redis.url)
    await rig.says('/poison now')
    await rig.says('/ping')
    for (const deaths of [1, 2, 3]) {
      await rig.instance('one')
      // An instance that was slow to start may have run it already, and be dead too.
      await rig.until(() => rig.notes().length >= deaths)
      const [pid] = rig.notes()[deaths - 1]!.split(' ')
      await rig.instances.find(({ child }) => String(child.pid) === pid)!.ended
      // The hold on what it ran would be over in 5 s.
      for (const key of await admin.keys('*:lock')) await admin.del(key)
    }
    await rig.until(async () => (await rig.texts()).includes('pong'))
    expect(rig.notes().map((line) => line.split(' ')[1])).toEqual([undefined, 'again', 'again'])
    // Whichever lives has set it aside.
    const told = () => rig.instances.map(({ output }) => output()).join('')
    const line = /event (\d+) \(message\) was set aside: the instance crashed 3 times while running it.*\n/
    await rig.until(() => line.test(told()))
    const [text, id] = line.exec(told())!
    expect(text).toContain(`framework cluster replay ${id} runs it again once the cause is fixed`)
    const asks = (...args: string[]) => rig.run(['cluster', ...args], { BOT_CLUSTER_URL: rig.redis.url })
    const [json, shown] = [asks('status', '--json'), asks('status')]
    expect([await json.ended, await shown.ended]).toEqual([0, 0])
    expect(JSON.parse(json.output())).toMatchObject({
      set_aside: [{ id: Number(id), type: 'message', reason: 'the instance crashed 3 times while running it' }],
    })
    expect(shown.output()).toContain(`framework cluster replay ${id}, or framework cluster replay --all`)
    // The cause is fixed.
    for (const { child, ended } of rig.instances) {
      child.kill('SIGTERM')
      await ended
    }
    await rig.instance('two')
    const replay = asks('replay', id!)
    expect(await replay.ended).toBe(0)
    await rig.until(async () => (await rig.texts()).includes('it lives'))
    const after = asks('status', '--json')
    await after.ended
    expect(JSON.parse(after.output())).toMatchObject({ set_aside: [] })
    expect(rig.notes()).toHaveLength(4)
    admin.disconnect()
  })
})

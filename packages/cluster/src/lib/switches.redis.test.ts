// @module-tag all/redis
// `framework off` for all instances of a cluster: `framework start --cluster` in processes of their own, a real service, a real Redis.

import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { BotRig, framework } from './bot-rig.test.fixture.ts'
import { describeWithRedis, testWithRedis as test } from './redis-rig.test.fixture.ts'

const people = ['ann', 'bob', 'cid', 'dan']
const channels = ['general', 'random', ...Array.from({ length: 12 }, (_, index) => `c${index}`)]
const roll = { 'commands/roll.ts': "export default () => 'rolled by ' + process.pid" }
const beat = {
  'tasks/beat.ts': `import { task } from '${framework}'
    export default task({ every: '1s', run: (ctx) => ctx.send(process.env.BEATS, 'beat ' + Date.now()) })`,
}

/** Runs a command of the CLI beside the instances, and returns its output. */
async function command(rig: BotRig, ...args: string[]): Promise<string> {
  const child = rig.run([...args, '--build', 'one'], { BOT_CLUSTER_URL: rig.redis.url })
  expect(await child.ended, child.output()).toBe(0)
  return child.output().trim()
}

describeWithRedis('switches of a cluster', () => {
  test('a command is off on all instances, and after all of them have restarted', async () => {
    await using rig = await BotRig.start()
    rig.build('one', roll, 'export default { messageBudget: false }')
    const start = () => rig.instance('one')
    const instances = [await start(), await start()]
    /** The answer in each of these channels. The bot may send 30 messages a minute, so not all channels are asked each time. */
    const rolls = async (names: readonly string[]) => {
      const before = await Promise.all(names.map(async (name) => (await rig.texts(name)).length))
      for (const [at, name] of names.entries())
        await rig
          .person(people[at % people.length])
          .messages.create({ channel_id: rig.channel(name), content: '/roll' })
      const all = () => Promise.all(names.map((name) => rig.texts(name)))
      await rig.until(async () => (await all()).every((texts, at) => texts.length === before[at]! + 2))
      return (await all()).map((texts) => texts.at(-1)!)
    }
    const isOff = 'This command is switched off for now: back at noon'
    const off = [isOff, isOff]
    let both: string[] = []
    // A channel belongs to either instance, and the second one may not have its channels yet.
    await rig.until(async () => {
      const answers = await rolls(channels)
      both = [...new Set(answers)].map((answer) => channels[answers.indexOf(answer)]!)
      return both.length === 2
    })
    expect(await command(rig, 'off', '/roll', '--reason', 'back at noon')).toBe('/roll is off: back at noon')
    expect(await rolls(both)).toEqual(off)
    for (const one of instances) expect(one.output()).toContain('/roll is switched off: back at noon')

    for (const { child, ended } of instances) {
      child.kill('SIGTERM')
      await ended
    }
    expect(await command(rig, 'off')).toMatch(/^\/roll +everywhere +.* ago +back at noon$/m)
    await start()
    await start()
    expect(await rolls(both)).toEqual(off)
    expect(await command(rig, 'on', '/roll')).toBe('/roll is on')
    for (const answer of await rolls(both)) expect(answer).toMatch(/^rolled by /)
  })

  // Only the leader runs tasks. The task has a channel of its own, whose slow mode permits 30 messages a minute.
  test('a task that is off does not run on the leader', async () => {
    await using rig = await BotRig.start()
    rig.build('one', beat)
    const env = { BEATS: rig.channel('general') }
    await rig.instance('one', env)
    await rig.instance('one', env)
    const beats = async () => (await rig.texts('general')).length
    await rig.until(async () => (await beats()) > 0)
    await command(rig, 'off', 'tasks/beat')
    const ended = await beats()
    await setTimeout(2500)
    expect((await beats()) - ended, 'one may have been running').toBeLessThanOrEqual(1)
    const before = await beats()
    await command(rig, 'on', 'tasks/beat')
    await rig.until(async () => (await beats()) > before)
  })
})

// @module-tag all/redis
// Bursts on many instances: `framework start --cluster` in processes of their own, a real service, a real Redis.

import { expect } from 'vitest'
import { BotRig, framework } from './bot-rig.test.fixture.ts'
import { describeWithRedis, testWithRedis as test } from './redis-rig.test.fixture.ts'

const files = {
  'events/message.ts': `import { event } from '${framework}'
    export default event('message', {
      gather: { quiet: '1m', max: '2m' },
      run: (ctx) => 'You wrote: ' + ctx.events.map((one) => one.content).join(' '),
    })`,
  'commands/ping.ts': "export default () => 'Pong'",
}

async function start(): Promise<BotRig> {
  const rig = await BotRig.start()
  rig.build('bot', files, 'export default { messageBudget: false }')
  return rig
}

const answers = async (rig: BotRig) => (await rig.texts()).filter((text) => /^(Pong|You)/.test(text))

describeWithRedis('bursts', () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    test(`another instance gathers the events of one that ends by ${signal}, and runs the burst before a later command`, async () => {
      await using rig = await start()
      const one = await rig.instance('bot')
      await rig.says('a')
      await rig.says('b')
      await rig.instance('bot')
      one.child.kill(signal)
      await one.ended
      await rig.says('/ping')
      await rig.until(async () => (await answers(rig)).includes('Pong'))
      expect(await answers(rig)).toEqual(['You wrote: a b', 'Pong'])
    })
  }
})

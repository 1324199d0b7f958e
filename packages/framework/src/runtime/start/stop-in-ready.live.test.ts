import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

test.each(['inline', 'worker'] as const)('a stop does not wait for events/ready.ts (%s)', async (dispatcher) => {
  await using rig = await ChatRig.start()
  const files = {
    'events/ready.ts': `export default async (ctx) => {
      await ctx.send('${rig.channel('general')}', 'begun')
      await new Promise(() => {})
    }`,
    'tasks/soon.ts': 'export default () => {}',
  }
  const stopping = new AbortController()
  const starting = rig.startBot(files, {
    ...{ dispatcher, signal: stopping.signal },
    config: { limits: { handlerSeconds: 3 } },
  })
  await rig.until(async () => (await rig.texts()).includes('begun'))
  stopping.abort(new Error('stopped by SIGTERM'))
  const bot = await starting
  expect(await bot.stop()).toEqual({ unfinished: 0 })
  expect(rig.logged('error'), 'its time limit').toEqual([])
  expect(rig.logged('info').filter((line) => line.includes(' is ready'))).toEqual([])
})

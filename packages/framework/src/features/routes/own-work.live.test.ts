import { systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { post, startBot } from './route-rig.test.fixture.ts'

test('each request does its own work in ctx.once, also in the same millisecond', async () => {
  await using rig = await ChatRig.start()
  const files = {
    'routes/report.ts': `export default route({
      verify: false,
      respond: true,
      run: (ctx) => ctx.once('report', () => ctx.body.n),
    })`,
  }
  const nowMs = Date.now()
  await startBot(rig, files, { dispatcher: 'inline', clock: { ...systemClock, now: () => nowMs } })
  const all = await Promise.all([1, 2, 3].map(async (n) => (await post(rig, '/report', { n })).text()))
  expect(all.toSorted()).toEqual(['1', '2', '3'])
})

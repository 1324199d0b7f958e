import { systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../../tests/chat-rig.test.fixture.ts'
import { quietNow } from '../../quiet-hours/quiet-now.test.fixture.ts'

const framework = JSON.stringify(new URL('../../../../dist/index.js', import.meta.url).href)

test.each([0, 16, -16])(
  'a message whose response is cut off is posted once, on a host that is %d minutes ahead',
  async (minutes) => {
    await using rig = await ChatRig.start()
    const code = `import { command } from ${framework}
      export default command({ durable: true, run: async (ctx) => {
        await ctx.send(ctx.channel_id, 'tea')
        await ctx.reply('done')
      } })`
    const clock = { ...systemClock, now: () => Date.now() + minutes * 60_000 }
    await rig.startBot({ 'commands/brew.ts': code }, { clock, dispatcher: 'inline' })
    await rig.fault('POST', '/v1/channels/*', { then: 'cut' })
    await rig.says('ann', '/brew')
    await rig.until(async () => (await rig.texts()).includes('done'))
    expect(await rig.texts()).toEqual(['/brew', 'tea', 'done'])
  },
)

test('so is a message after one that is held for quiet hours, whose time is that of the host', async () => {
  await using rig = await ChatRig.start()
  const code = `import { command } from ${framework}
    export default command({ durable: true, run: async (ctx) => {
      await ctx.send('${rig.channel('random')}', 'later')
      await ctx.reply('tea')
      await ctx.reply('done')
    } })`
  const clock = { ...systemClock, now: () => Date.now() + 16 * 60_000 }
  const config = { quietHours: quietNow }
  await rig.startBot({ 'commands/brew.ts': code }, { clock, config, dispatcher: 'inline' })
  await rig.fault('POST', '/v1/channels/*', { then: 'cut' })
  await rig.says('ann', '/brew')
  await rig.until(async () => (await rig.texts()).includes('done'))
  expect(await rig.texts()).toEqual(['/brew', 'tea', 'done'])
})

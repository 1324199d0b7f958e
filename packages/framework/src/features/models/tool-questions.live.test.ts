import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

const framework = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)

test('the time limit of a handler is paused while a command that it runs as a tool asks a question', async () => {
  await using rig = await ChatRig.start()
  const files = {
    'commands/ai.ts': `import { commandTools } from ${framework}
      export default async (ctx) => {
        const { signal } = ctx
        const [tool] = commandTools(ctx, { only: ['paint'] })
        const { text } = await tool.call({})
        return text + ', late: ' + signal.aborted
      }`,
    'commands/paint.ts': "export default async (ctx) => 'painted ' + await ctx.ask('Which color?')",
  }
  const clock = new VirtualClock(Date.now())
  const bot = await rig.startBot(files, { dispatcher: 'inline', clock })
  await rig.says('ann', '/ai')
  await rig.until(async () => (await rig.texts()).includes('Which color?'))
  await rig.until(() => bot.stats().running === 0)
  await clock.advance(61_000)
  await rig.says('ann', 'red')
  await rig.until(async () => (await rig.texts()).at(-1)?.includes('late') === true)
  expect((await rig.texts()).at(-1)).toMatch(/painted red, late: false$/)
  expect(rig.logged('error')).toEqual([])
})

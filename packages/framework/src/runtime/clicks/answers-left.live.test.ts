import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

const framework = new URL('../../../dist/index.js', import.meta.url).href

test('an eleventh answer to a click is rejected without a request, and answersLeft counts down', async () => {
  await using rig = await ChatRig.start()
  await rig.startBot({
    'commands/vote.ts': `import many from '../buttons/many.mjs'
      import { row } from '${framework}'
      export default () => ({ content: 'Vote', components: [row(many.button({ label: 'Yes' }))] })`,
    'buttons/many.ts': `import { button } from '${framework}'
      export default button({ run: async (ctx) => {
        const left = []
        for (let i = 0; i < 10; i++) { left.push(ctx.answersLeft); await ctx.ack() }
        const code = await ctx.ack().catch((error) => error.code)
        await ctx.send(ctx.channel_id, [...left, ctx.answersLeft, code].join(' '))
      } })`,
  })
  await rig.says('ann', '/vote')
  await rig.clicks()
  await rig.until(async () => (await rig.texts()).includes('10 9 8 7 6 5 4 3 2 1 0 ERR_ANSWERS_USED_UP'))
  expect(await rig.callbacks()).toHaveLength(10)
})

import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

const framework = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)

test('the text of a tool is what its replies show in the end', async () => {
  await using rig = await ChatRig.start()
  const files = {
    'commands/ai.ts': `import { commandTools } from ${framework}
      export default async (ctx) => {
        const texts = []
        for (const name of ['edited', 'updated', 'removed', 'told', 'private'])
          texts.push((await commandTools(ctx, { only: [name] })[0].call({})).text)
        return JSON.stringify(texts)
      }`,
    'commands/edited.ts': `export default async (ctx) => {
      const first = await ctx.reply('working')
      const second = await ctx.reply('also working')
      await ctx.edit(first, 'done: 42')
      await ctx.edit(second, { components: [] })
    }`,
    'commands/updated.ts': `export default async (ctx) => {
      await ctx.reply({ content: 'result', embeds: [{ title: 'soon' }] })
      await ctx.update({ embeds: [{ title: '42' }] })
    }`,
    'commands/removed.ts': `export default async (ctx) => {
      await ctx.delete(await ctx.reply('wait'))
      return 'ready'
    }`,
    'commands/told.ts': `export default async (ctx) => {
      const { setTimeout } = await import('node:timers/promises')
      async function* story() {
        yield 'Once '
        await setTimeout(50)
        yield 'upon a time'
      }
      await ctx.stream(story())
    }`,
    'commands/private.ts': `export default async (ctx) => {
      await ctx.edit(await ctx.ephemeral('secret'), 'another secret')
    }`,
  }
  await rig.startBot(files, { dispatcher: 'inline' })
  await rig.says('ann', '/ai')
  await rig.until(async () => (await rig.texts()).at(-1)?.startsWith('[') === true)
  expect(JSON.parse((await rig.texts()).at(-1)!)).toEqual([
    'done: 42\nalso working',
    'result\n42',
    'ready',
    'Once upon a time',
    '(answered in a direct message)',
  ])
  expect(rig.logged('error')).toEqual([])
})

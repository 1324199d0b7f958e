import { join } from 'node:path'
import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

const framework = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)

// A click that a handler has waited for can ask questions itself. They belong to the handler.

const shop = (after: string) => ({
  'commands/shop.ts': `import { choice, row } from ${framework}
    export default async (ctx) => {
      const asked = await ctx.reply({ content: 'Buy?', components: [row(choice('yes', { label: 'Yes' }))] })
      const click = await ctx.clicked(asked)
      ${after}
    }`,
  'commands/ping.ts': "export default () => 'pong'",
})

test('a question of a click ends with the handler: it blocks no event, and a restart reports nothing as lost', async () => {
  await using rig = await ChatRig.start()
  const options = { config: { limits: { handlerSeconds: 5 } }, stateDir: join(rig.root, 'state') }
  const files = shop("await ctx.send(ctx.channel_id, 'bought ' + await click.ask('Which color?'))")
  const bot = await rig.startBot(files, options)
  await rig.says('ann', '/shop')
  await rig.clicks()
  await rig.until(async () => (await rig.texts()).includes('Which color?'))
  await rig.says('ann', 'red')
  await rig.until(async () => (await rig.texts()).includes('bought red'))
  await rig.says('ann', '/ping')
  await rig.until(async () => (await rig.texts()).includes('pong'))
  expect(rig.logged('error')).toEqual([])
  expect(await bot.store.list('ask:')).toEqual([])
})

test('the time limit of the handler does not count the questions of a click', async () => {
  await using rig = await ChatRig.start()
  const files = shop(`const { signal } = ctx
    const color = await click.ask('Which color?')
    await ctx.send(ctx.channel_id, color + ' ' + signal.aborted + ' ' + (click.signal === signal))`)
  const clock = new VirtualClock(Date.now())
  const bot = await rig.startBot(files, { dispatcher: 'inline', clock })
  await rig.says('ann', '/shop')
  await rig.clicks()
  await rig.until(async () => (await rig.texts()).includes('Which color?'))
  await rig.until(() => bot.stats().running === 0)
  await clock.advance(61_000)
  await rig.says('ann', 'red')
  await rig.until(async () => (await rig.texts()).at(-1)?.startsWith('red ') === true)
  expect((await rig.texts()).at(-1)).toBe('red false true')
})

test('a stop waits for the calls of a click that its handler does not await', inAll, async () => {
  await using rig = await ChatRig.start()
  const bot = await rig.startBot(shop("void click.update('bought').then(() => click.send(click.channel_id, 'really'))"))
  await rig.fault('POST', '/v1/interactions/*', { then: 'slow' })
  await rig.says('ann', '/shop')
  await rig.clicks()
  await rig.until(async () => (await rig.texts()).includes('bought'))
  expect(await bot.stop()).toEqual({ unfinished: 0 })
  expect((await rig.texts()).at(-1)).toBe('really')
})

import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const framework = new URL('../../../dist/index.js', import.meta.url).href

const files = {
  'state/count.ts': `import { state } from '${framework}'
    export default state({ scope: 'server', initial: 0 })`,
  'events/message.ts': `import count from '../state/count.mjs'
    export default async (ctx) => {
      await Promise.all(Array.from({ length: 25 }, () => count.of(ctx).update((n) => n + 1)))
    }`,
  'commands/count.ts': `export default async (ctx) => 'count ' + (await ctx.state.server.get('count'))`,
}

test('loses none of 1,000 increments from 4 workers, and keeps them after a restart', slow, async () => {
  await using rig = await ChatRig.start()
  const bot = await rig.startBot(files, { config: { limits: { workers: 4 } } })
  for (let i = 0; i < 40; i++) await rig.says('ann', `message ${i}`, `c${i % 20}`)
  await rig.until(() => bot.stats().finished === 40)
  await bot.stop()
  await rig.startBot(files)
  await rig.says('ann', '/count')
  await rig.until(async () => (await rig.texts()).some((text) => text.startsWith('count')))
  expect((await rig.texts()).at(-1)).toBe('count 1000')
  expect(rig.logged('error')).toEqual([])
})

test('a store in the configuration replaces the file', async () => {
  await using rig = await ChatRig.start()
  let made: MemoryStore | undefined
  const bot = await rig.startBot(files, { config: { store: ({ clock }) => (made = new MemoryStore(clock)) } })
  await rig.says('ann', 'hello')
  await rig.until(() => bot.stats().finished === 1)
  expect(await made!.list('state:server:count:')).toMatchObject([{ value: { v: 1, value: 25 } }])
})

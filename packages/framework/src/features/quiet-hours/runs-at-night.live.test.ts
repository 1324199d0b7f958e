import { join } from 'node:path'
import { AdvanceableClock, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { count } from '../cluster/two-instances.test.fixture.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { heldPrefix } from './held-prefix.ts'
import { quietNow } from './quiet-now.test.fixture.ts'

const HOUR_MS = 60 * 60_000
const framework = new URL('../../../dist/index.js', import.meta.url).href

const files = {
  'commands/remind.ts': `import { command } from '${framework}'
    export default command({ description: 'x', durable: true, run: async (ctx) => {
      const { held_until } = await ctx.send(ctx.channel_id, 'tea')
      await ctx.send(ctx.channel_id, 'cake')
      return 'done ' + (new Date(held_until) > new Date())
    } })`,
}

test('a message is not held twice if the process dies before its durable run has noted it', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const store = new MemoryStore(clock)
  const options = { clock, stateDir: join(rig.root, 'state'), config: { store: () => store, quietHours: quietNow } }
  const set = store.set.bind(store)
  let isDead = false
  store.set = async (...given) => {
    if (isDead) throw new Error('killed')
    const done = await set(...given)
    isDead = given[0].startsWith(heldPrefix)
    return done
  }
  const first = await rig.startBot(files, options)
  await rig.says('ann', '/remind')
  await rig.until(() => isDead)
  await first.stop({ graceMs: 0 })
  store.set = set
  await rig.startBot(files, options)
  await rig.until(async () => (await rig.texts()).includes('done true'))
  clock.advance(3 * HOUR_MS)
  await rig.until(async () => (await rig.texts()).includes('cake'))
  const texts = await rig.texts()
  expect(['tea', 'cake'].map((text) => count(texts, text))).toEqual([1, 1])
})

test('an answer to a message that was held is not held twice if the process dies before its durable run has noted it', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const store = new MemoryStore(clock)
  const answers = {
    'commands/remind.ts': `import { command } from '${framework}'
      export default command({ description: 'x', durable: true, run: async (ctx) => {
        const { id } = await ctx.send(ctx.channel_id, 'tea')
        await ctx.sleep('24h')
        await ctx.send(ctx.channel_id, { content: 'cake', reply_to: id })
        return 'done'
      } })`,
  }
  const options = { clock, stateDir: join(rig.root, 'state'), config: { store: () => store, quietHours: quietNow } }
  const set = store.set.bind(store)
  let isDead = false
  store.set = async (...given) => {
    if (isDead) throw new Error('killed')
    const done = await set(...given)
    isDead = given[0].startsWith(heldPrefix) && JSON.stringify(given[1]).includes('cake')
    return done
  }
  const first = await rig.startBot(answers, options)
  await rig.says('ann', '/remind')
  await rig.until(async () => (await store.list(heldPrefix)).length === 1)
  clock.advance(3 * HOUR_MS)
  await rig.until(async () => (await store.list(heldPrefix)).length === 0 && (await rig.texts()).includes('tea'))
  clock.advance(21 * HOUR_MS)
  await rig.until(() => isDead)
  await first.stop({ graceMs: 0 })
  store.set = set
  await rig.startBot(answers, options)
  await rig.until(async () => (await rig.texts()).includes('done'))
  clock.advance(3 * HOUR_MS)
  await rig.until(async () => (await store.list(heldPrefix)).length === 0)
  expect(count(await rig.texts(), 'cake')).toBe(1)
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AdvanceableClock, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryCluster } from '../cluster/memory-cluster.test.fixture.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { post, startBot } from './route-rig.test.fixture.ts'

test('a stored request that ran when the only instance lost its lease runs again there', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const cluster = new MemoryCluster()
  const notes = join(rig.root, 'notes.txt')
  const code = `import { appendFileSync } from 'node:fs'
    export default route({ verify: false, run: async (ctx) => {
      appendFileSync(${JSON.stringify(notes)}, ctx.redelivered ? 'again\\n' : 'first\\n')
      if (!ctx.redelivered) await new Promise(() => {})
    } })`
  const bot = await startBot(rig, { 'routes/slow.post.ts': code }, { cluster, clock, dispatcher: 'inline' })
  const noted = () => {
    try {
      return readFileSync(notes, 'utf8').split('\n').filter(Boolean)
    } catch {
      return []
    }
  }
  expect((await post(rig, '/slow', {})).status).toBe(202)
  await rig.until(() => noted().length === 1)
  await cluster.cutOff(cluster.members[0]!)
  await rig.until(() => bot.stats().running === 0)
  clock.advance(30_000)
  await rig.until(() => noted().length === 2)
  expect(noted()).toEqual(['first', 'again'])
  expect(rig.logged('error').join()).not.toContain('could not run')
  await bot.stop({ graceMs: 0 })
  cluster.close()
})

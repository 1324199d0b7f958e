import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MemoryCluster } from '../../cluster/memory-cluster.test.fixture.ts'
import { ChatRig } from '../../../tests/chat-rig.test.fixture.ts'

const framework = JSON.stringify(new URL('../../../../dist/index.js', import.meta.url).href)

const slow = { tags: 'all/real-time' }

for (const [dispatcher, where, tier] of [
  ['inline', 'one instance', slow],
  ['worker', 'one instance', {}],
  ['inline', 'a cluster', slow],
] as const)
  test(`a stop lets the step end of a run that its time has woken (${dispatcher}, ${where})`, tier, async () => {
    await using rig = await ChatRig.start()
    const path = join(rig.root, 'step-notes')
    const notes = () => (existsSync(path) ? readFileSync(path, 'utf8') : '')
    const file = `
  import { command } from ${framework}
  import { appendFileSync } from 'node:fs'
  const note = (text) => appendFileSync(${JSON.stringify(path)}, text + ' ')
  const slow = async () => { note('start'); await new Promise((done) => setTimeout(done, 1500)); note('end') }
  export default command({ description: 'x', durable: true, run: async (ctx) => {
    await ctx.sleep(1000)
    await ctx.step('slow', slow)
    return 'done'
  } })`
    const cluster = where === 'a cluster' ? new MemoryCluster() : undefined
    const stateDir = join(rig.root, 'state')
    const start = () => rig.startBot({ 'commands/go.ts': file }, { dispatcher, stateDir, ...(cluster && { cluster }) })
    const first = await start()
    await rig.says('ann', '/go')
    await rig.until(async () => (await first.store.list('run:due:')).length === 1)
    await first.stop()
    expect(notes()).toBe('')
    const second = await start()
    await rig.until(() => notes() === 'start ')
    await second.stop()
    expect(notes()).toBe('start end ')
    expect((await rig.texts()).at(-1)).toBe('done')
    expect(rig.logged('error')).toEqual([])
    cluster?.close()
  })

for (const [dispatcher, tier] of [
  ['inline', slow],
  ['worker', {}],
] as const)
  test(
    `a stop lets the step end of a run in memory whose time has come, and begins no other (${dispatcher})`,
    tier,
    async () => {
      await using rig = await ChatRig.start(['ann', 'ben'])
      const path = join(rig.root, 'step-notes')
      const notes = () => (existsSync(path) ? readFileSync(path, 'utf8') : '')
      const file = (name: string, ms: number) => `
    import { command } from ${framework}
    import { appendFileSync } from 'node:fs'
    const note = (text) => appendFileSync(${JSON.stringify(path)}, text + '-${name} ')
    const slow = async () => { note('start'); await new Promise((done) => setTimeout(done, 1500)); note('end') }
    export default command({ description: 'x', durable: true, run: async (ctx) => {
      await ctx.sleep(${ms})
      await ctx.step('slow', slow)
    } })`
      const files = { 'commands/now.ts': file('now', 700), 'commands/later.ts': file('later', 1200) }
      const bot = await rig.startBot(files, { dispatcher })
      await rig.says('ann', '/now')
      await rig.says('ben', '/later')
      await rig.until(() => notes() === 'start-now ')
      await bot.stop()
      expect(notes()).toBe('start-now end-now ')
      expect(rig.logged('error')).toEqual([])
    },
  )

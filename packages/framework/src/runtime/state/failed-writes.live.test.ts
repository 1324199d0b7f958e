import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@botwright/clock'
import { openDatabase } from '@botwright/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import type { Stored } from '../../author/ports.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { SqliteStore } from '../../features/stored-state/sqlite-store.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

// A write to the store fails once ("database is locked", a full disk, a Redis that answers too late).

/** A store that refuses the first write for which `fails` holds; `done`: it has written it all the same. */
function failingOnce(fails: (key: string, value: Stored['value']) => boolean, { done = false } = {}) {
  let failed = 0
  const store = ({ clock }: { clock: ConstructorParameters<typeof MemoryStore>[0] }) => {
    const memory = new MemoryStore(clock)
    const set = memory.set.bind(memory)
    memory.set = async (key, value, options) => {
      if (!fails(key, value) || failed++ > 0) return set(key, value, options)
      if (done) await set(key, value, options)
      throw new Error('database is locked')
    }
    return memory
  }
  return { store, failed: () => failed }
}

const ask = `export default async (ctx) => {
  const first = await ctx.ask('Word?').catch((error) => ctx.send(ctx.channel_id, 'failed: ' + error.message))
  return 'got ' + (await ctx.ask('Once more?')) + (typeof first === 'string' ? ' after ' + first : '')
}`

test.each([{ done: false }, { done: true }])(
  'a handler whose question could not be recorded gets the answer to its next one ($done)',
  async ({ done }) => {
    await using rig = await ChatRig.start()
    const { store } = failingOnce((key) => key.startsWith('ask:'), { done })
    const bot = await rig.startBot({ 'commands/ask.ts': ask }, { stateDir: ':memory:', config: { store } })
    await rig.says('ann', '/ask')
    await rig.until(async () => (await rig.texts()).at(-1) === 'Once more?')
    await rig.says('ann', 'tea')
    await rig.until(async () => (await rig.texts()).at(-1) === 'got tea')
    await rig.until(() => bot.stats().finished === 2)
    expect(await rig.texts()).toEqual(['/ask', 'Word?', 'failed: database is locked', 'Once more?', 'tea', 'got tea'])
  },
)

const moments: [moment: string, fails: (job: { at: number; sending: boolean; ended?: string }) => boolean][] = [
  ['before a message leaves', ({ at, sending }) => at === 1 && sending],
  ['after a message was posted', ({ at, sending }) => at === 1 && !sending],
  ['at its end', ({ ended }) => ended !== undefined],
]
for (const done of [false, true])
  // At the same time: each of them waits for the next attempt.
  test.concurrent.each(moments)(
    `a broadcast whose write fails %s reaches each channel once (done: ${done})`,
    slow,
    async (_, fails) => {
      await using rig = await ChatRig.start()
      const { store, failed } = failingOnce(
        (key, value) => key.startsWith('broadcast:') && fails(value as Parameters<typeof fails>[0]),
        { done },
      )
      const channels = ['random', 'c0', 'c1']
      const ids = JSON.stringify(channels.map((name) => rig.channel(name)))
      const news = `export default async (ctx) => {
      const { sent, failed, state } = await (await ctx.broadcast(${ids}, 'news')).done()
      return sent.length + ' sent, ' + failed.length + ' failed, ' + state
    }`
      await rig.startBot({ 'commands/news.ts': news }, { stateDir: ':memory:', config: { store } })
      await rig.says('ann', '/news')
      await rig.until(async () => (await rig.texts()).length === 2)
      expect((await rig.texts())[1]).toBe('3 sent, 0 failed, done')
      for (const name of channels) expect(await rig.texts(name)).toEqual(['news'])
      expect(failed()).toBeGreaterThan(0)
      expect(rig.logged('warn')).toEqual([expect.stringContaining('its progress cannot be stored: database is locked')])
    },
  )

test('a broadcast whose first write fails, but is done, is sent by the next call with its id', slow, async () => {
  await using rig = await ChatRig.start()
  const { store } = failingOnce((key) => key.startsWith('broadcast:'), { done: true })
  const news = `export default async (ctx) => {
    const start = () => ctx.broadcast(['${rig.channel('random')}'], 'news', { id: 'own' })
    const { sent } = await (await start().catch(start)).done()
    return sent.length + ' sent'
  }`
  await rig.startBot({ 'commands/news.ts': news }, { stateDir: ':memory:', config: { store } })
  await rig.says('ann', '/news')
  await rig.until(async () => (await rig.texts()).at(-1) === '1 sent')
  expect(await rig.texts('random')).toEqual(['news'])
})

test('many writes wait together while another program locks the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-locked-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'state.db')
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  using store = new SqliteStore({ file, botId: 'b', clock: systemClock, log })
  await store.set('a', 1)
  using other = openDatabase(file)
  other.exec('BEGIN IMMEDIATE')
  const beganMs = performance.now()
  const writes = await Promise.allSettled(['a', 'b', 'c', 'd'].map((key) => store.set(key, 2)))
  // Each attempt blocks the thread for two seconds: four of them would take eight.
  expect(performance.now() - beganMs).toBeLessThan(8000)
  for (const write of writes) expect(write).toMatchObject({ reason: { code: 'ERR_STATE' } })
  other.exec('ROLLBACK')
  expect(await store.set('a', 3)).toBe(true)
})

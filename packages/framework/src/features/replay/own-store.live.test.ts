import { join } from 'node:path'
import { systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import type { Log } from '../../author/ports.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { readConfig } from '../../runtime/config/read-config.ts'
import { ChatRig, token } from '../../tests/chat-rig.test.fixture.ts'
import { History } from '../history/history.ts'
import { dryRun } from './dry-run.ts'
import { realRun } from './real-run.ts'

const log: Log = { debug() {}, info() {}, warn() {}, error() {} }

test('a replay of a bot with a store of its own uses the values in that store', async () => {
  await using rig = await ChatRig.start()
  const files = {
    'commands/pay.ts': `export default async (ctx) => {
      const count = ((await ctx.state.bot.get('count')) ?? 0) + 1
      await ctx.state.bot.set('count', count)
      const paid = await ctx.once('pay', () => (globalThis.timesPaid = (globalThis.timesPaid ?? 0) + 1))
      return 'count ' + count + ', paid ' + paid
    }`,
  }
  const store = new MemoryStore(systemClock)
  const config = { record: true, store: () => store }
  const bot = await rig.startBot(files, { config, dispatcher: 'inline' })
  await rig.says('ann', '/pay')
  await rig.until(async () => (await rig.texts()).at(-1) === 'count 1, paid 1')
  await bot.stop()
  const stateDir = join(rig.root, '.botwright')
  const read = () => {
    using history = new History(join(stateDir, 'history.db'))
    return history.events({})
  }
  const options = {
    source: rig.source(files),
    config: await readConfig(config),
    stateDir,
    log,
    env: {},
    events: read(),
  }
  const replied: unknown[] = []
  for await (const { calls } of dryRun(options)) replied.push(...calls.map(({ input }) => input))
  // The dry run of `ctx.once` begins without its marks.
  expect(replied).toMatchObject([{ content: 'count 2, paid 2' }])
  expect((await store.list('')).some(({ value }) => value === 2)).toBe(false)
  const service = { baseUrl: rig.service.base_url, token, signal: new AbortController().signal }
  for await (const { result } of realRun({ ...options, ...service })) expect(result).toBe('ok')
  expect((await rig.texts()).at(-1)).toBe('count 2, paid 1')
})

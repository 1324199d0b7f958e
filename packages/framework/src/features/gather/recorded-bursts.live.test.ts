import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Log } from '../../author/ports.ts'
import { dryRun } from '../replay/dry-run.ts'
import { readConfig } from '../../runtime/config/read-config.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { History } from '../history/history.ts'
import { timelineOf } from '../history/timeline.ts'
import { stepTexts } from '../history/step-texts.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const api = JSON.stringify(import.meta.resolve('@botwright/framework'))

const files = {
  'events/message.ts': `import { event } from ${api}
export default event('message', {
  gather: { quiet: '1m', max: '2m' },
  run: (ctx) => 'You wrote: ' + ctx.events.map((one) => one.content).join(' '),
})`,
  'commands/ping.ts': "export default () => 'Pong'",
}

const read = (rig: ChatRig) => {
  using history = new History(join(rig.root, '.botwright/history.db'))
  return history.events({})
}

test.each(['inline', 'worker'] as const)('a burst is recorded with its run (%s)', async (dispatcher) => {
  await using rig = await ChatRig.start()
  const options = { dispatcher, config: { record: true } } as const
  const first = await rig.startBot(files, options)
  await rig.says('ann', 'a')
  await rig.says('ann', 'b')
  await rig.until(() => first.stats().started >= 2 && first.stats().waiting === 0)
  await first.stop()
  expect(read(rig).map(({ result }) => result)).toEqual(['unfinished', 'unfinished'])
  const second = await rig.startBot(files, options)
  await rig.says('ann', '/ping')
  await rig.until(async () => (await rig.texts()).includes('Pong'))
  await second.stop()
  const [, , one, last, ping] = read(rig)
  const lines = [one, last].map((event) => stepTexts(timelineOf(event!)))
  expect([one, last, ping].map((event) => [event!.result, event!.file])).toEqual([
    ['ok', 'events/message.ts'],
    ['ok', 'events/message.ts'],
    ['ok', 'commands/ping.ts'],
  ])
  const gathered = 'gathered: its file runs with the whole burst'
  const run = ['matched events/message.ts', 'handler events/message.ts', 'reply “You wrote: a b”', 'finished']
  expect(lines[0]!.slice(-2)).toEqual([gathered, 'finished'])
  expect(lines[1]!.slice(-5)).toEqual([gathered, ...run])
})

test('a replay gathers as the bot did', slow, async () => {
  await using rig = await ChatRig.start()
  const bot = await rig.startBot(files, { config: { record: true } })
  for (const text of ['a', 'b', 'c', '/ping', 'd']) await rig.says('ann', text)
  await rig.until(() => bot.stats().started >= 5 && bot.stats().waiting === 0)
  await bot.stop()
  // The third message comes two minutes later.
  const events = read(rig).map((event, i) => ({ ...event, atMs: event.atMs + (i < 2 ? 0 : 120_000) }))
  const log: Log = { debug() {}, info() {}, warn() {}, error() {} }
  const options = { source: rig.source(files), config: await readConfig({}), stateDir: rig.root, log, env: {} }
  const replayed: unknown[] = []
  for await (const { result, calls } of dryRun({ ...options, events }))
    replayed.push([result, ...calls.map(({ input }) => contentOf(input))])
  expect(replayed).toEqual([
    ['ok'],
    ['ok', 'You wrote: a b'],
    ['ok', 'You wrote: c'],
    ['ok', 'Pong'],
    ['ok', 'You wrote: d'],
  ])
})

const contentOf = (input: unknown) => (input as { content?: string }).content

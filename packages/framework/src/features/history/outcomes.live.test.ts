import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { History } from './history.ts'
import { Recorder } from './recorder.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const recorded = (rig: ChatRig, content: string) => {
  using history = new History(join(rig.root, '.botwright/history.db'))
  return history.events().findLast((event) => event.data?.['content'] === content)
}
const files = {
  'commands/never.ts': 'export default () => new Promise(() => {})',
  'commands/exit.ts': 'export default () => process.exit(1)',
  'commands/block.ts': 'export default () => { for (;;); }',
  'commands/once.ts': "export default (ctx) => { if (!ctx.redelivered) process.exit(1); return 'back' }",
  'commands/ping.ts': "export default () => 'pong'",
}

test.each(['inline', 'worker'] as const)(
  'a handler that takes too long is recorded as timed out, and its user is notified once (%s)',
  async (dispatcher) => {
    await using rig = await ChatRig.start()
    const goOn = join(rig.root, 'go-on')
    const late = `import { existsSync, writeFileSync } from 'node:fs'
      export default async () => {
        while (!existsSync(${JSON.stringify(goOn)})) await new Promise((resolve) => setTimeout(resolve, 5))
        setImmediate(() => writeFileSync(${JSON.stringify(join(rig.root, 'settled.txt'))}, ''))
      }`
    const all = { ...files, 'commands/late.ts': late }
    const bot = await rig.startBot(all, { dispatcher, config: { record: true, limits: { handlerSeconds: 1 } } })
    await rig.says('ann', '/never', 'c0')
    await rig.says('ann', '/late', 'c1')
    await rig.until(() => bot.stats().finished === 2)
    await rig.until(async () => (await rig.texts('c1')).length === 2)
    // Its promise settles now; the recorded outcome does not change.
    writeFileSync(goOn, '')
    await rig.until(() => existsSync(join(rig.root, 'settled.txt')))
    await bot.stop()
    for (const [name, channel] of [
      ['never', 'c0'],
      ['late', 'c1'],
    ] as const) {
      expect(await rig.texts(channel)).toEqual([`/${name}`, 'That took too long.'])
      expect(recorded(rig, `/${name}`)).toMatchObject({
        result: 'timed_out',
        file: `commands/${name}.ts`,
        error: 'did not end within 1 s',
      })
    }
  },
)

test(
  'a handler that ends its thread is recorded as dead-lettered with its file and cause, and its user is notified',
  { tags: 'all/real-time' },
  async () => {
    await using rig = await ChatRig.start()
    const bot = await rig.startBot(files, { config: { record: true }, blockSeconds: 1 })
    await rig.says('ann', '/exit', 'c0')
    await rig.until(() => bot.stats().finished === 1)
    await rig.says('ann', '/block', 'c1')
    await rig.until(() => bot.stats().finished === 2)
    await rig.until(async () => (await rig.texts('c1')).length === 2)
    await bot.stop()
    expect(await rig.texts('c0')).toEqual(['/exit', 'Something went wrong.'])
    expect(await rig.texts('c1')).toEqual(['/block', 'That took too long.'])
    expect(recorded(rig, '/exit')).toMatchObject({
      result: 'dead_lettered',
      file: 'commands/exit.ts',
      error: expect.stringMatching(/process\.exit\(1\), 3 times/),
    })
    expect(recorded(rig, '/block')).toMatchObject({
      result: 'dead_lettered',
      file: 'commands/block.ts',
      error: expect.stringMatching(/blocked its thread.*3 times/),
    })
  },
)

test('an event that succeeds on the attempt after a crash is recorded as ok', slow, async () => {
  await using rig = await ChatRig.start()
  const bot = await rig.startBot(files, { config: { record: true } })
  await rig.says('ann', '/once', 'c0')
  await rig.until(async () => (await rig.texts('c0')).length === 2)
  await rig.until(() => bot.stats().finished === 1)
  await bot.stop()
  expect(recorded(rig, '/once')).toMatchObject({ result: 'ok', file: 'commands/once.ts' })
  expect(recorded(rig, '/once')).not.toHaveProperty('error')
})

test('an event that catchUp skips is recorded as skipped, with the file that would have handled it', slow, async () => {
  await using rig = await ChatRig.start()
  const config = { record: true, catchUp: { message: '1s' } } as const
  const first = await rig.startBot(files, { config })
  await rig.says('ann', '/ping', 'c0')
  await rig.until(() => first.stats().finished === 1)
  await first.stop()
  await rig.says('ann', '/ping while away', 'c0')
  const later = { ...systemClock, now: () => Date.now() + 2000 }
  const second = await rig.startBot(files, { config, clock: later })
  await rig.until(() => second.stats().finished === 1)
  await second.stop()
  expect(recorded(rig, '/ping while away')).toMatchObject({
    result: 'skipped',
    file: 'commands/ping.ts',
    error: 'older than catchUp in bot.config.ts allows',
  })
})

test('the failure of one file stays recorded when another file of the same event succeeds', async () => {
  await using rig = await ChatRig.start()
  const file = join(rig.root, '.botwright/history.db')
  mkdirSync(join(rig.root, '.botwright'))
  const recorder = new Recorder({
    ...{ file, baseUrl: rig.service.base_url, me: { id: rig.channel('c0'), username: 'bot' } as never },
    ...{ clock: systemClock, log: {} as never, bounds: { events: 1000, days: 1 }, secrets: [] },
  })
  for (const [id, order] of [
    [1, ['bot', 'plugin']],
    [2, ['plugin', 'bot']],
  ] as const) {
    const event = { id, type: 'message', data: { content: `${id}` }, created_at: '2026-01-01T00:00:00Z' }
    recorder.received({ event, attempt: 1 })
    for (const of of order) {
      const error = of === 'plugin' && { error: { message: 'boom', at: 'plugin.ts:1', reference: '' } }
      recorder.outcome({ eventId: id, type: 'message', file: of, result: error ? 'error' : 'ok', ...error })
    }
    recorder.settled({ event, attempt: 1 })
  }
  recorder.close()
  for (const content of ['1', '2'])
    expect(recorded(rig, content)).toMatchObject({ result: 'error', file: 'plugin', error: 'boom' })
})

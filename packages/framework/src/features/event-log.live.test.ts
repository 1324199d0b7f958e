import { expect, test } from 'vitest'
import { ChatRig } from '../tests/chat-rig.test.fixture.ts'
import { createLog } from '../program/log.ts'

/** Runs a command that succeeds and one that fails, and returns the log lines. */
async function lines(level: string): Promise<Record<string, unknown>[]> {
  const written: string[] = []
  await using rig = await ChatRig.start()
  const bot = await rig.startBot(
    {
      'commands/ping.ts': "export default () => 'pong'",
      'commands/boom.ts': "export default () => { throw new Error('no') }",
    },
    { log: createLog({ level, write: (line) => void written.push(line) }) },
  )
  await rig.says('ann', '/ping')
  await rig.says('ann', '/boom')
  await rig.until(() => bot.stats().finished === 2)
  await bot.stop()
  return written.map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('logs one line per event at level debug, with its id, type, file, duration and result, and none at info', async () => {
  const events = (await lines('debug')).filter((line) => line['level'] === 'debug' && 'result' in line)
  expect(events).toMatchObject([
    { event: expect.any(Number), type: 'message', file: 'commands/ping.ts', ms: expect.any(Number), result: 'ok' },
    { event: expect.any(Number), type: 'message', file: 'commands/boom.ts', ms: expect.any(Number), result: 'error' },
  ])
  expect((await lines('info')).some((line) => 'result' in line)).toBe(false)
})

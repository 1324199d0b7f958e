import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ChatRig } from '../../../tests/chat-rig.test.fixture.ts'
import { explainCommand } from '../commands/explain-command.ts'
import { History } from '../history.ts'

const files = {
  'commands/ping.ts': "export default () => 'pong'",
  'commands/boom.ts': "export default () => { throw new Error('it broke') }",
}

/** Posts these texts, and returns the folder of the recording. */
async function recorded(rig: ChatRig, texts: readonly string[]): Promise<string> {
  const bot = await rig.startBot(files, { dispatcher: 'inline', config: { record: true } })
  for (const text of texts) await rig.says('ann', text)
  await rig.until(() => bot.stats().finished === texts.length)
  await bot.stop()
  return join(rig.root, '.botwright')
}

/** The output of `framework explain`. */
async function explain(state: string, event?: 'last'): Promise<string> {
  const lines: string[] = []
  const io = { cwd: state, env: {}, stdout: process.stdout, stderr: process.stderr } as never
  await explainCommand({
    ...{ io, state, json: false, print: (text) => void lines.push(text), note: () => {} },
    ...(event !== undefined && { event }),
  })
  return lines.join('\n')
}

test('the list folds events without a handler, and keeps earlier failures in sight', async () => {
  await using rig = await ChatRig.start()
  const pings = Array.from({ length: 11 }, () => '/ping')
  const texts = ['/boom', 'hello', ...pings, 'one', 'two', 'three', '/pign', 'four']
  const state = await recorded(rig, texts)
  const lines = (await explain(state)).split('\n').map((line) => line.replace(/^\S+ {2}(#\d+ {2})?/, ''))
  expect(lines).toEqual([
    expect.stringMatching(/^\/boom .* error: it broke$/),
    ...Array.from({ length: 9 }, () => expect.stringMatching(/^\/ping .* ok$/) as unknown),
    '· 3 events without a handler: message 3',
    expect.stringMatching(/^\/pign .* none$/),
    // One event needs no fold.
    expect.stringMatching(/^message .* none$/),
  ])
  using history = new History(join(state, 'history.db'))
  expect(history.events({ only: 'failed' }).map(({ data }) => data?.['content'])).toEqual(['/boom'])
  expect(history.events({ only: 'handled', limit: 2 }).map(({ data }) => data?.['content'])).toEqual(['/ping', '/pign'])
})

test.each([
  ['the last event that did something', ['/boom', 'hello', 'hi'], /^\/boom /],
  ['a command that no file handles, because a person expects an answer', ['/ping', '/pign', 'hi'], /^\/pign /],
  ['the last event, if none did something', ['hello', 'hi'], /^message /],
])('explain last shows %s', async (_, texts, head) => {
  await using rig = await ChatRig.start()
  expect(await explain(await recorded(rig, texts), 'last')).toMatch(head)
})

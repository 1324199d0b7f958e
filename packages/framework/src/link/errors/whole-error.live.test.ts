import { expect, test } from 'vitest'
import type { Outcome } from '../ports.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { wholeMessage, wholeStack } from './whole-error.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const files = {
  'commands/fetch.ts': "export default () => fetch('http://127.0.0.1:1/')",
  'commands/many.ts':
    "export default () => { throw new AggregateError([new Error('the first'), new Error('the second')], 'both failed') }",
  'commands/odd.ts': 'export default () => { throw { status: 500, body: { reason: "no fuel" } } }',
}

test('logs the causes of a failed handler with their stacks', async () => {
  await using rig = await ChatRig.start()
  const bot = await rig.startBot(files)
  const log = async (text: string) => {
    const before = bot.stats().finished
    await rig.says('ann', text)
    await rig.until(() => bot.stats().finished > before)
    return rig.lines.findLast(({ level }) => level === 'error')!
  }
  const fetched = await log('/fetch')
  expect(fetched.message).toMatch(/commands\/fetch\.\w+(?::\d+)?: fetch failed: bad port$/)
  expect(fetched.facts).toMatchObject({ stack: expect.stringMatching(/\ncaused by Error: bad port\n/) })
  const many = await log('/many')
  expect(many.message).toMatch(/commands\/many\.\w+(?::\d+)?: both failed: the first; the second$/)
  expect(many.facts).toMatchObject({
    stack: expect.stringMatching(/\ncaused by Error: the first\n[^]+\ncaused by Error: the second\n/),
  })
  const odd = await log('/odd')
  expect(odd.message).toMatch(/commands\/odd\.\w+(?::\d+)?: \{ status: 500, body: \{ reason: 'no fuel' \} \}$/)
})

test('cuts a long message before its last word, which may be a part of a secret', () => {
  const message = `${'x'.repeat(32_760)} a-secret-of-mine ${'y'.repeat(3e6)}`
  expect(wholeMessage(new Error(message))).toBe(`${'x'.repeat(32_760)} … (${message.length} characters)`)
  expect(wholeMessage('z'.repeat(3e6)).length).toBeLessThan(33_000)
  const long = new Error('m'.repeat(3e6), { cause: new Error('n'.repeat(3e6)) })
  expect(wholeMessage(long).length).toBeLessThan(33_000)
  expect(wholeStack(long).length).toBeLessThan(80_000)
  expect(wholeStack(long).match(/\n {4}at /g)!.length).toBeGreaterThan(4)
})

test('prints a cause that the message already quotes only once, and stops at circular causes', () => {
  const cause = new Error('no fuel')
  expect(wholeMessage(new Error('it does not start: no fuel', { cause }))).toBe('it does not start: no fuel')
  const circle = new Error('round')
  circle.cause = new Error('and round', { cause: circle })
  expect(wholeMessage(circle)).toMatch(/^round: and round/)
  expect(wholeStack(circle).match(/caused by/g)!.length).toBeLessThan(10)
  expect(wholeMessage('a text')).toBe('a text')
})

test.each([
  [
    'a getter',
    "Object.defineProperty(new Error('x'), 'message', { get: () => { throw new Error('hidden') } })",
    'an error whose message cannot be read',
  ],
  [
    'a message that is no text',
    "Object.assign(new Error('x'), { message: { code: 7 } })",
    'an error whose message cannot be read',
  ],
  ['a stack that is no text', "Object.assign(new Error('no fuel'), { stack: 7 })", 'no fuel'],
  [
    'an unreadable cause',
    "new Error('no fuel', { cause: Object.defineProperty(new Error('x'), 'stack', { get: () => { throw 0 } }) })",
    'no fuel',
  ],
  [
    'a value that cannot be shown',
    "new Proxy({}, { get: () => { throw new Error('hidden') } })",
    'an error whose message cannot be read',
  ],
])('a thrown error with %s is logged, and its person and its task learn of it', slow, async (_, error, message) => {
  await using rig = await ChatRig.start()
  const outcomes: Outcome[] = []
  const files = {
    'commands/fail.ts': `export default () => { throw ${error} }`,
    'commands/due.ts': "export default (ctx) => ctx.schedule('fail', { in: '0s' })",
    'tasks/fail.ts': `export default () => { throw ${error} }`,
  }
  await rig.startBot(files, { dispatcher: 'inline', observer: { outcome: (one) => void outcomes.push(one) } })
  await rig.says('ann', '/fail')
  await rig.until(async () => (await rig.texts()).some((text) => text.startsWith('Something went wrong (ref ')))
  await rig.says('ann', '/due')
  await rig.until(() => outcomes.some(({ type }) => type === 'task'))
  const failed = outcomes.filter(({ file }) => file?.endsWith('fail.ts'))
  expect(failed).toMatchObject([
    { result: 'error', error: { message } },
    { result: 'error', error: { message } },
  ])
})

import { expect, test } from 'vitest'
import { ChatRig } from '../tests/chat-rig.test.fixture.ts'
import { answerOf, isMessageLike } from './answer.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

test('distinguishes an answer, nothing and a mistake with its fix in a returned value', () => {
  expect(answerOf('x', 'run')).toBe('x')
  const message = { content: 'x', embeds: undefined, reply_to: '1' }
  expect(answerOf(message, 'run')).toBe(message)
  const posted = { id: '1', channel_id: '2', content: 'x', author_id: '3' }
  for (const nothing of [undefined, null, '', posted, { ok: true, timeout_until: null }])
    expect(answerOf(nothing, 'run')).toBeUndefined()
  const problemOf = (value: unknown) => {
    try {
      return answerOf(value, 'run')
    } catch (error) {
      return (error as Error).message.replace(": return a string, a message such as { content: 'x' }, or nothing", '')
    }
  }
  expect(problemOf({ contnet: 'x' })).toBe('run returned a message with the field "contnet" (did you mean content?)')
  expect(problemOf({ content: 'x', embed: {} })).toBe(
    'run returned a message with the field "embed" (did you mean embeds?)',
  )
  expect(problemOf({ content: 'x', ephemeral: true })).toContain('"ephemeral" (write return ctx.ephemeral(…))')
  expect(problemOf({ votes: 5 })).toBe('run returned a message with the field "votes", which messages do not have')
  expect(problemOf({})).toBe('run returned a message without content or embeds')
  expect(problemOf({ components: [] })).toBe('run returned a message without content or embeds')
  expect(problemOf(5)).toBe('run returned the number 5')
  expect(problemOf(false)).toBe('run returned the boolean false')
  expect(problemOf(['x'])).toBe('run returned a list')
  expect(problemOf(new Map())).toBe('run returned a Map')
  expect(problemOf(() => 'x')).toBe('run returned a function')
})

test('reports an invalid return value with its file, and does not post again', slow, async () => {
  await using rig = await ChatRig.start()
  await rig.startBot({
    'commands/wrong.ts': `export default async () => ({ contnet: 'x' })`,
    'commands/posted.ts': `export default (ctx) => ctx.reply('once')`,
    'commands/group/middleware.ts': `export default (ctx, next) => 7`,
    'commands/group/inner.ts': `export default (ctx) => 'never seen'`,
    'events/ready.ts': `export default () => 'Here I am'`,
  })
  await rig.says('ann', '/posted')
  await rig.says('ann', '/wrong')
  await rig.says('ann', '/group inner')
  await rig.until(async () => (await rig.texts()).filter((text) => text.startsWith('Something')).length === 2)
  expect((await rig.texts()).filter((text) => text === 'once')).toHaveLength(1)
  const fix = ": return a string, a message such as { content: 'x' }, or nothing"
  expect(rig.logged('error')).toEqual([
    'events/ready.ts: run returned an answer, but ready has no channel to answer in: use ctx.send(channel_id, message)',
    `commands/wrong.ts: run returned a message with the field "contnet" (did you mean content?)${fix}`,
    `commands/group/inner.ts: commands/group/middleware.ts returned the number 7${fix}`,
  ])
})

test('ready may return the result of a call, but not a message or a text', () => {
  const returned = [
    undefined,
    null,
    7,
    true,
    ['a'],
    '',
    '001763796000000-0a1b2c3d4e5f',
    crypto.randomUUID(),
    { roles: [] },
  ]
  for (const value of [...returned, { id: 'm1', channel_id: 'c1', content: 'Here I am' }])
    expect(isMessageLike(value)).toBe(false)
  for (const value of ['Here I am', 'well-done', { content: 'Here I am' }, { embeds: [] }])
    expect(isMessageLike(value)).toBe(true)
})

import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

test('counts events of unknown types, logs each type once, and passes them to events/unknown.ts', async () => {
  await using chat = await ChatRig.start()
  const bot = await chat.startBot({
    'events/unknown.ts': `export default (ctx) => ctx.send('${chat.channel('general')}', 'received ' + ctx.envelope.type)`,
  })
  const made = (id: number, type: string) => ({ id, type, data: {}, created_at: '2026-03-01T08:00:00.000Z' })
  const events = [made(1001, 'poll_ended'), made(1002, '__proto__'), made(1003, 'poll_ended')]
  await fetch(`${chat.service.url}/controls/v1/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ path: '/v1/events', then: { status: 200, body: { events, last: 1003 } } }),
  })
  // The open poll returns this message, the next one the events of unknown types.
  await chat.says('ann', 'hello')
  await chat.until(async () => (await chat.texts()).length === 4)
  expect((await chat.texts()).slice(1).sort()).toEqual([
    'received __proto__',
    'received poll_ended',
    'received poll_ended',
  ])
  expect(bot.stats().unknown).toBe(3)
  expect(chat.logged('info').filter((line) => line.includes('does not support'))).toHaveLength(2)
})

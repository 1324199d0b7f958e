import { expect, it } from 'vitest'
import { startTest } from '../test-tools/driver.test.fixture.ts'

type Chat = Awaited<ReturnType<typeof startTest>>

const auth = 'Bot token-of-pollster'
const clock = (chat: Chat, method: 'GET' | 'PUT', body?: object) =>
  chat.call(method, `/dev/v1/clock${method === 'GET' ? '?ahead_ms=0' : ''}`, { auth, ...(body && { body }) })
const move = (chat: Chat) => chat.call('POST', '/controls/v1/clock', { body: { advance_seconds: 60 } })

/** The bot follows the clock, like one in `framework dev`. */
async function follow(chat: Chat): Promise<void> {
  expect((await move(chat)).status).toBe(200)
  expect((await clock(chat, 'GET')).body).toEqual({ ahead_ms: 60_000 })
  expect((await clock(chat, 'PUT', { ahead_ms: 60_000, ran: [] })).status).toBe(200)
}

it('the clock moves after a bot that followed it was deleted', async () => {
  await using chat = await startTest({ controls: true })
  await follow(chat)
  expect((await chat.person('ann', 'DELETE', `/bots/${chat.botId}`)).status).toBe(200)
  const { status, body } = await move(chat)
  expect([status, body]).toMatchObject([200, { ok: true, bots: [] }])
})

it('a move of the clock does not wait for a bot that is deleted meanwhile', async () => {
  await using chat = await startTest({ controls: true })
  await follow(chat)
  const moving = move(chat)
  expect((await chat.person('ann', 'DELETE', `/bots/${chat.botId}`)).status).toBe(200)
  const { status, body } = await moving
  expect([status, body]).toMatchObject([200, { ok: true, bots: [] }])
})

it('the polls of framework dev end when the bot gets a new token', async () => {
  await using chat = await startTest({ controls: true })
  await follow(chat)
  expect((await chat.person('ann', 'POST', `/bots/${chat.botId}/token`)).status).toBe(200)
  const { status, body } = await move(chat)
  expect([status, body]).toMatchObject([200, { ok: true, bots: [] }])
})

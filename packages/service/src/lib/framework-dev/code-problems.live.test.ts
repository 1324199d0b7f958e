import { expect, it } from 'vitest'
import type { BotProblems } from '../people-api/resources.ts'
import { startTest } from '../test-tools/driver.test.fixture.ts'
import { openPage } from '../test-tools/stream-page.test.fixture.ts'

type Chat = Awaited<ReturnType<typeof startTest>>

async function publish(chat: Chat, body: object): Promise<number> {
  const response = await fetch(`${chat.service.url}/dev/v1/problems`, {
    method: 'PUT',
    headers: { authorization: 'Bot token-of-pollster', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await response.body?.cancel()
  return response.status
}
const listed = async (chat: Chat, name = 'ann') =>
  ((await chat.person(name, 'GET', '/timelines')).body as { problems: BotProblems[] }).problems

it('shows the problems of the newest code to the owner of the bot only, until it loads', async () => {
  await using chat = await startTest()
  const page = await openPage(chat, 'ann')
  const problems = [{ message: 'Unexpected ">"', at: 'commands/ping.ts:6', causes: [] }]
  expect(await publish(chat, { serving: 'previous', problems })).toBe(200)
  const shown = { bot_id: chat.botId, serving: 'previous', problems }
  expect((await page.until('bot_problems')).data).toMatchObject(shown)
  expect(await listed(chat)).toEqual([shown])
  expect(await listed(chat, 'bob')).toEqual([])
  expect(await publish(chat, { serving: 'new', problems: [] })).toBe(200)
  expect((await page.until('bot_problems')).data).toMatchObject({ problems: [] })
  expect(await listed(chat)).toEqual([])
  page.close()
})

it('refuses links that a page must not open, and more problems than a page shows', async () => {
  await using chat = await startTest()
  const problem = { message: 'broken', causes: [] }
  expect(await publish(chat, { serving: 'none', problems: [{ ...problem, link: 'javascript:alert(1)' }] })).toBe(400)
  expect(await publish(chat, { serving: 'none', problems: Array(11).fill(problem) })).toBe(400)
  expect(await listed(chat)).toEqual([])
})

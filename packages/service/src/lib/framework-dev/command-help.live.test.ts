import { expect, it } from 'vitest'
import { startTest } from '../test-tools/driver.test.fixture.ts'
import { openPage } from '../test-tools/stream-page.test.fixture.ts'

const help = { name: 'ping', description: 'Answers', aliases: [], usage: '/ping', args: [], examples: [] }

it('open pages receive the descriptions of commands, whatever call follows', async () => {
  await using chat = await startTest()
  const page = await openPage(chat, 'bob')
  const auth = 'Bot token-of-pollster'
  const described = await fetch(`${chat.service.url}/dev/v1/commands`, {
    method: 'PUT',
    headers: { authorization: auth, 'content-type': 'application/json' },
    body: JSON.stringify({ commands: [help] }),
  })
  expect(described.status).toBe(200)
  await described.body?.cancel()
  // The next call stores nothing.
  expect((await chat.bot('DELETE', `${chat.channel('general')}/messages/${chat.botId}`)).status).toBe(404)
  const news = await page.news()
  expect(news).toMatchObject([{ type: 'bot_update', data: { bot: { id: chat.botId, help: [help] } } }])
  page.close()
})

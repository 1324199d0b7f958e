import { expect, it } from 'vitest'
import { startTest } from '../test-tools/driver.test.fixture.ts'

it('a bot between two polls stays online with its activity when the clock is moved', async () => {
  await using chat = await startTest({ controls: true })
  const presence = async () => {
    const { bots } = (await chat.person('ann', 'GET', '/bots')).body as { bots: { id: string; presence: object }[] }
    return bots.find(({ id }) => id === chat.botId)?.presence
  }
  const shown = { status: 'dnd', activity: 'counting' }
  expect((await chat.bot('PUT', '/me/status', shown)).status).toBe(200)
  expect((await chat.call('POST', '/controls/v1/clock', { body: { advance_seconds: 3600 } })).status).toBe(200)
  await chat.events()
  expect(await presence()).toEqual(shown)
})

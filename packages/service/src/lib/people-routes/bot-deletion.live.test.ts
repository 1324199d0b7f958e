/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { expect, it } from 'vitest'
import { startTest } from '../test-tools/driver.test.fixture.ts'
import { openPage } from '../test-tools/stream-page.test.fixture.ts'

it('deleting a bot notifies pages of its messages and direct messages, and leaves no direct messages behind', async () => {
  await using chat = await startTest()
  const bob = await openPage(chat, 'bob')
  const carol = await openPage(chat, 'carol')
  try {
    const { channel_id } = (await chat.bot('POST', `/users/${chat.userId('bob')}/dm`)).body as { channel_id: string }
    await chat.bot('POST', `/channels/${channel_id}/messages`, { content: 'psst' })
    await bob.until('message_create')
    expect((await chat.person('ann', 'DELETE', `/bots/${chat.botId}`)).status).toBe(200)
    const gone = { channel_id: null, server_id: null, user_id: chat.botId }
    expect((await bob.until('user_delete')).data).toEqual(gone)
    expect((await carol.until('user_delete')).data).toEqual(gone)
    const types = (page: typeof bob) => page.received.map(({ type, data }) => [type, data.channel_id])
    expect(types(bob)).toContainEqual(['channel_delete', channel_id])
    expect(types(carol).map(([type]) => type)).not.toContain('channel_delete')
    expect((await chat.person('bob', 'GET', '/me')).body.dms).toEqual([])
    expect((await chat.person('bob', 'GET', `/channels/${channel_id}/messages`)).status).toBe(404)
  } finally {
    bob.close()
    carol.close()
  }
})

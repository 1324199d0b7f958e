/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-call -- answers are read as loosely as they arrive */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTest } from '../test-tools/driver.test.fixture.ts'

let chat: Awaited<ReturnType<typeof startTest>>
beforeAll(async () => void (chat = await startTest()))
afterAll(() => chat.close())

const messages = () => `${chat.channel('general')}/messages`

describe('the flow of a message', () => {
  it('a person posts, the bot receives it immediately and answers [spec: 6/message, 4/events.list, 4/messages.create]', async () => {
    const { last } = (await chat.bot('GET', '/events?after=0')).body
    const poll = chat.bot('GET', `/events?after=${last}&wait=25`)
    const written = await chat.person('ann', 'POST', messages(), { content: 'hello' })
    expect(written.status).toBe(200)
    const { events } = (await poll).body
    expect(events).toMatchObject([
      { type: 'message', data: { id: written.body.id, content: 'hello', author: 'ann', author_bot: false } },
    ])
    const reply = await chat.bot('POST', messages(), { content: 'hi', reply_to: written.body.id })
    expect(reply).toMatchObject({ status: 200, body: { content: 'hi', reply_to_id: written.body.id, embeds: [] } })
    const list = await chat.person('bob', 'GET', messages())
    expect(list.body.messages.map((each: { content: string }) => each.content)).toEqual(['hello', 'hi'])
  })

  it('a click becomes an interaction, and its answer a message [spec: 6/interaction, 4/interactions.callback, 8/interaction]', async () => {
    const { answer, data, state } = await chat.clicked()
    expect(data).toMatchObject({ type: 'button', custom_id: 'yes', username: 'ann' })
    expect((await state()).body).toEqual({ state: 'waiting', answers: [] })
    expect(await answer({ type: 'reply', content: 'thanks' })).toMatchObject({ status: 200, body: { ok: true } })
    expect((await state()).body).toMatchObject({
      state: 'answered',
      answers: [{ type: 'reply', message: { content: 'thanks' } }],
    })
  })
})

/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { expectOk, expectRefused, type Spec, startSpec, unknown } from './rig.test.fixture.ts'

let chat: Spec
beforeEach(async () => void (chat = await startSpec()))
afterEach(() => chat.close())

const reactions = (id: string, emoji?: string) =>
  `${chat.messages()}/${id}/reactions${emoji === undefined ? '' : `/${encodeURIComponent(emoji)}`}`

describe('reactions', () => {
  it('are listed by emoji in order of first use, with user ids and `me` [spec: 4/reactions.list, 4/reactions.add, decisions/13, decisions/1]', async () => {
    const { id } = await chat.says('ann', 'hello')
    expectOk(await chat.bot('GET', reactions(id)), { reactions: [] })
    await chat.person('bob', 'PUT', reactions(id, '🎉'))
    expectOk(await chat.bot('PUT', reactions(id, '👍')))
    await chat.person('bob', 'PUT', reactions(id, '👍'))
    const party = { emoji: '🎉', count: 1, user_ids: [chat.userId('bob')] }
    const up = { emoji: '👍', count: 2, user_ids: [chat.botId, chat.userId('bob')] }
    expectOk(await chat.bot('GET', reactions(id)), {
      reactions: [
        { ...party, me: false },
        { ...up, me: true },
      ],
    })
    expect((await chat.helper('GET', reactions(id))).body.reactions[1]).toEqual({ ...up, me: false })
    expect((await chat.bot('GET', `${chat.messages()}/${id}`)).body.reactions).toEqual([
      { ...party, me: false },
      { ...up, me: true },
    ])
  })

  it("are idempotent, and only the bot's own can be removed [spec: 4/reactions.add, 4/reactions.remove]", async () => {
    const { id } = await chat.says('ann', 'hello')
    await chat.person('bob', 'PUT', reactions(id, '👍'))
    for (let i = 0; i < 2; i++) expectOk(await chat.bot('PUT', reactions(id, '👍')))
    for (let i = 0; i < 2; i++) expectOk(await chat.bot('DELETE', reactions(id, '👍')))
    expect((await chat.bot('GET', reactions(id))).body.reactions).toEqual([
      { emoji: '👍', count: 1, me: false, user_ids: [chat.userId('bob')] },
    ])
  })

  it('send one event for repeated calls, and none for removing a missing reaction [spec: 6/reaction_add, 6/reaction_remove]', async () => {
    const { id } = await chat.says('ann', 'hello')
    await chat.events()
    for (const method of ['DELETE', 'PUT', 'PUT', 'DELETE', 'DELETE']) {
      await chat.person('bob', method, reactions(id, '👍'))
    }
    expect((await chat.events()).map(({ type }) => type)).toEqual(['reaction_add', 'reaction_remove'])
  })

  it('are one with and without variation selectors, in the qualified form [spec: decisions/53]', async () => {
    const { id } = await chat.says('ann', 'hello')
    await chat.events()
    expectOk(await chat.person('bob', 'PUT', reactions(id, '\u2764')))
    expectOk(await chat.person('ann', 'PUT', reactions(id, '\u2764\uFE0F')))
    expect((await chat.bot('GET', reactions(id))).body.reactions).toMatchObject([{ emoji: '\u2764\uFE0F', count: 2 }])
    expectOk(await chat.person('bob', 'DELETE', reactions(id, '\u2764\uFE0F')))
    expectOk(await chat.person('ann', 'DELETE', reactions(id, '\u2764')))
    expect((await chat.bot('GET', reactions(id))).body.reactions).toEqual([])
    expect((await chat.events()).map(({ data }) => data['emoji'] as string)).toEqual(Array(4).fill('\u2764\uFE0F'))
  })

  it.each(['👍', '👍🏽', '❤️', '👨‍👩‍👧', '🇩🇪', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'])(
    'accept %s as one emoji [spec: 4/reactions.add]',
    async (emoji) => {
      const { id } = await chat.says('ann', 'hello')
      expectOk(await chat.bot('PUT', reactions(id, emoji)))
      expect((await chat.bot('GET', reactions(id))).body.reactions).toMatchObject([{ emoji, count: 1 }])
    },
  )

  it.each(['x', '👍👍', ' ', '1', ':+1:', '%', '👍 ', '\u0000'])(
    'refuse %j, when adding and removing [spec: 4/reactions.add, 4/reactions.remove]',
    async (emoji) => {
      const { id } = await chat.says('ann', 'hello')
      expectRefused(await chat.bot('PUT', reactions(id, emoji)), 400, 'emoji')
      expectRefused(await chat.bot('DELETE', reactions(id, emoji)), 400, 'emoji')
      expect((await chat.bot('GET', reactions(id))).body).toEqual({ reactions: [] })
    },
  )

  it('are deleted with their message, and require a visible message [spec: 4/reactions.list, 7/404]', async () => {
    const { id } = await chat.says('ann', 'hello')
    const secret = await chat.says('bob', 'secret', 'staff')
    const hidden = `${chat.messages('staff')}/${secret.id}/reactions`
    for (const [method, emoji] of [
      ['GET', undefined],
      ['PUT', '👍'],
      ['DELETE', '👍'],
    ] as const) {
      expectRefused(await chat.bot(method, reactions(unknown, emoji)), 404, 'message not found')
      const end = emoji === undefined ? '' : `/${encodeURIComponent(emoji)}`
      expectRefused(await chat.bot(method, hidden + end), 404, 'channel not found')
    }
    await chat.bot('PUT', reactions(id, '👍'))
    await chat.helper('DELETE', `${chat.messages()}/${id}`)
    expectRefused(await chat.bot('GET', reactions(id)), 404, 'message not found')
  })
})

/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectOk, type Spec, specWorld, startSpec } from '../spec/rig.test.fixture.ts'

let chat: Spec
beforeAll(async () => void (chat = await startSpec()))
afterAll(() => chat.close())

/** Upper case in everything of a path that is an id. */
const upper = (text: string) =>
  text.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => id.toUpperCase())

it('accepts ids in upper case in paths, queries and bodies, and returns them in lower case [spec: decisions/52]', async () => {
  const [carol, bob] = [chat.userId('carol'), chat.userId('bob')]
  const category_id = chat.category('Work')
  expect((await chat.helper('GET', upper(chat.channel('general')))).body.channel.id).toBe(
    chat.channel('general').split('/').at(-1),
  )
  const made = await chat.helper('POST', upper(`${chat.server}/channels`), {
    name: 'x',
    category_id: upper(category_id),
  })
  expect(made.body.channel.category_id).toBe(category_id)
  const one = `/channels/${made.body.channel.id as string}`
  const role = chat.role('mods')
  await chat.helper('PATCH', upper(one), { private: true, role_ids: [upper(role)] })
  expect((await chat.person('bob', 'GET', `${one}/messages`)).status).toBe(200)
  const first = await chat.helper('POST', upper(chat.messages()), { content: 'first' })
  const reply = await chat.helper('POST', chat.messages(), {
    content: 'second',
    reply_to: upper(first.body.id as string),
  })
  expect(reply.body.reply_to_id).toBe(first.body.id)
  expectOk(await chat.helper('PUT', upper(`${chat.server}/members/${carol}/roles/${role}`)))
  const detail = (await chat.helper('GET', upper(`${chat.server}/members/${carol}`))).body.member
  expect([detail.user_id, (detail.roles as string[]).includes(role)]).toEqual([carol, true])
  const ids = [upper(first.body.id as string), upper(bob)]
  expect((await chat.helper('POST', `${chat.messages()}/bulk-delete`, { ids })).body).toMatchObject({
    deleted: [first.body.id],
    skipped: [bob],
  })
  expectOk(await chat.helper('POST', `${chat.server}/bans`, { user_id: upper(carol) }))
  expect((await chat.helper('GET', `${chat.server}/bans`)).body.bans[0].user_id).toBe(carol)
})

it('accepts them from people and in a world', async () => {
  const found = await chat.person(
    'ann',
    'GET',
    upper(`/messages?text=second&channel_id=${chat.channel('general').split('/').at(-1)!}`),
  )
  expect(found.body.messages).toHaveLength(1)
  const id = '0194F3A0-1234-7ABC-8DEF-0123456789AB'
  const world = specWorld()
  world.people![0] = { username: 'ann', id }
  await using other = await startSpec({ world })
  expect(other.userId('ann')).toBe(id.toLowerCase())
})

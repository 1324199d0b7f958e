import { describe, expect, test } from 'vitest'
import { answer, drive, id } from './bad-service.test.fixture.ts'
import { rig } from './rig.test.fixture.ts'

const at = { channel_id: id(9), message_id: id(1) }
const server_id = id(2)
const member = { server_id, user_id: id(3) }

/** Responses of another service where the specification shows no fields: more fields, fewer, or of other types. */
const odd = { id: id(7), color: 0xff0000, permissions: '8', created_at: 5, nested: { anything: [null] } }

describe('shapes that the specification does not show', () => {
  test.each<[string, object, object, unknown]>([
    ['messages.list', at, { messages: [odd], authors: [odd, { name: 'no id' }], has_more: true }, undefined],
    ['servers.list', {}, { servers: [odd] }, undefined],
    ['servers.get', { server_id }, { server: odd }, undefined],
    ['servers.roles', { server_id }, { roles: [odd] }, undefined],
    ['members.get', member, { member: odd }, undefined],
    ['moderation.bans', { server_id }, { bans: [{ user: odd, reason: 5 }] }, undefined],
    ['reactions.list', at, { reactions: [{ emoji: { name: 'x' }, users: [] }] }, undefined],
    ['users.get', { user_id: id(3) }, odd, undefined],
    ['users.get', { user_id: id(3) }, { user: odd }, odd],
    ['messages.bulkDelete', { channel_id: id(9), ids: [id(1)] }, { deleted: [id(1)], skipped: [] }, undefined],
    ['messages.bulkDelete', { channel_id: id(9), ids: [id(1)] }, { deleted: 1, skipped: 0 }, undefined],
  ])(
    '%s keeps what arrives [spec: decisions/8, decisions/9, decisions/10, decisions/11, decisions/12, decisions/13, decisions/14, decisions/41]',
    async (name, input, body, expected) => {
      await using it = await rig([answer(200, body)])
      expect(await drive(it.clock, it.call(name as 'servers.list', input))).toEqual(expected ?? body)
      expect(it.seen).toHaveLength(1)
    },
  )

  test.each<[string, object]>([
    ['moderation.setNickname', { ...member, nickname: null }],
    ['moderation.addRole', { ...member, role_id: id(4) }],
    ['moderation.kick', member],
    ['moderation.ban', { ...member, reason: 'x' }],
    ['moderation.unban', member],
    ['moderation.timeout', { ...member, minutes: 5 }],
    ['me.removeAvatar', {}],
    ['channels.delete', { channel_id: id(9) }],
  ])('%s: any 2xx is success, with a body or without [spec: decisions/1, decisions/15]', async (name, input) => {
    await using it = await rig([answer(204, ''), answer(200, { ok: true, extra: 1 }), answer(202, { member: odd })])
    const call = () =>
      drive(it.clock, it.call(name as 'moderation.kick', input as { server_id: string; user_id: string }))
    expect(await call()).toEqual({ ok: true })
    expect(await call()).toEqual({ ok: true, extra: 1 })
    expect(await call()).toEqual({ member: odd })
  })
})

describe('refusals that the specification leaves open', () => {
  test.each<[string, number, string]>([
    ['a picture from elsewhere [spec: decisions/26]', 400, 'ERR_REFUSED'],
    ['slowmode and read-only channels [spec: decisions/27]', 403, 'ERR_FORBIDDEN'],
    ['a target that stands higher [spec: decisions/28, decisions/36]', 403, 'ERR_FORBIDDEN'],
    ['a method that does not exist [spec: decisions/29]', 405, 'ERR_REFUSED'],
    ['a body that is too large [spec: decisions/30]', 413, 'ERR_REFUSED'],
    ['a broken content rule [spec: decisions/31]', 400, 'ERR_REFUSED'],
    ['a bot that was banned [spec: decisions/31]', 401, 'ERR_UNAUTHORIZED'],
    ['a reply to nothing [spec: decisions/34]', 400, 'ERR_REFUSED'],
    ['a permission that is missing [spec: decisions/38]', 403, 'ERR_FORBIDDEN'],
    ['a flag that is off [spec: decisions/47]', 403, 'ERR_FORBIDDEN'],
    ['too many bots, a foreign Host [spec: decisions/49]', 403, 'ERR_FORBIDDEN'],
    ['a status that nobody foresaw [spec: decisions/49]', 418, 'ERR_REFUSED'],
  ])('%s: %d is reported as %s with the words of the service, after one request', async (what, status, code) => {
    await using it = await rig([answer(status, { error: what })])
    const error = await drive(it.clock, it.call('messages.create', { ...at, content: 'x' }))
    expect(error).toMatchObject({ name: 'ServiceError', code, status })
    expect((error as Error).message).toContain(what)
    expect(it.seen).toHaveLength(1)
  })
})

describe('components where none are allowed', () => {
  const components = [{ type: 'row', components: [{ type: 'button', style: 'primary', label: 'x', custom_id: 'x' }] }]
  test.each(['ephemeral', 'ack'])('on %s they are rejected without sending [spec: decisions/43]', async (type) => {
    await using it = await rig([answer(200, { ok: true })])
    const body = { interaction_id: id(5), token: 'click', type, content: 'x', components }
    await expect(it.call('interactions.callback', body as never)).rejects.toMatchObject({
      code: 'ERR_INVALID_REQUEST',
      message: expect.stringContaining('components: only reply and update') as string,
    })
    expect(it.seen).toHaveLength(0)
  })
})

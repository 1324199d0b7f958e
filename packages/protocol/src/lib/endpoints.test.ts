import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import { channelWebhookEndpoints, endpoints, endpointsByName } from './endpoints.ts'
import { explain } from './explain.ts'
import { limits } from './limits.ts'

const id = '00000000-0000-0000-0000-000000000001'
const all = [...endpointsByName]

/** The endpoints of §4, copied by hand from the specification: the table must contain exactly these. */
const specified = `
GET /me | PATCH /me | PUT /me/avatar | DELETE /me/avatar | PUT /me/banner | DELETE /me/banner | PUT /me/status
GET /commands | PUT /commands
GET /events
GET /servers | GET /servers/{} | GET /servers/{}/roles | GET /servers/{}/members | GET /servers/{}/members/{}
GET /servers/{}/channels | POST /servers/{}/channels | GET /channels | GET /channels/{} | PATCH /channels/{}
DELETE /channels/{} | POST /servers/{}/categories | PATCH /servers/{}/categories/{} | DELETE /servers/{}/categories/{}
PATCH /servers/{}/members/{} | PUT /servers/{}/members/{}/roles/{} | DELETE /servers/{}/members/{}/roles/{}
POST /servers/{}/kick | GET /servers/{}/bans | POST /servers/{}/bans | DELETE /servers/{}/bans/{}
POST /servers/{}/timeouts
GET /servers/{}/voice | POST /servers/{}/voice/move | POST /servers/{}/voice/disconnect
GET /channels/{}/messages | POST /channels/{}/messages | GET /channels/{}/messages/{} | PATCH /channels/{}/messages/{}
DELETE /channels/{}/messages/{} | POST /channels/{}/messages/bulk-delete
PUT /channels/{}/messages/{}/pin | DELETE /channels/{}/messages/{}/pin
GET /channels/{}/messages/{}/reactions | PUT /channels/{}/messages/{}/reactions/{}
DELETE /channels/{}/messages/{}/reactions/{}
POST /interactions/{}/{}/callback
GET /users/{} | POST /users/{}/dm
`
const bare = (entry: Endpoint) => `${entry.method} ${entry.path.replace(/\{\w+\}/g, '{}')}`

test('the table contains exactly the methods and paths of §4', () => {
  const wanted = specified
    .trim()
    .split(/[|\n]/)
    .map((one) => one.trim())
  expect(all.map(([, entry]) => bare(entry)).toSorted()).toEqual(wanted.toSorted())
  expect(Object.values<Endpoint>(channelWebhookEndpoints.channelWebhooks).map(bare)).toEqual([
    'POST /{}/{}',
    'GET /{}/{}',
  ])
})

test('the permissions are those of §4 and §5', () => {
  const needed = Object.fromEntries(
    all.flatMap(([name, { permission, permissionFor }]) =>
      permission ? [[name, permissionFor ? `${permission} for ${permissionFor}` : permission]] : [],
    ),
  )
  expect(needed).toEqual({
    'channels.create': 'manage_channels',
    'channels.update': 'manage_channels',
    'channels.delete': 'manage_channels',
    'categories.create': 'manage_channels',
    'categories.update': 'manage_channels',
    'categories.delete': 'manage_channels',
    'moderation.setNickname': 'manage_nicknames',
    'moderation.addRole': 'manage_roles',
    'moderation.removeRole': 'manage_roles',
    'moderation.kick': 'kick_members',
    'moderation.bans': 'ban_members',
    'moderation.ban': 'ban_members',
    'moderation.unban': 'ban_members',
    'moderation.timeout': 'timeout_members',
    'voice.move': 'move_members',
    'voice.disconnect': 'move_members',
    'messages.delete': 'manage_messages for others',
    'messages.bulkDelete': 'manage_messages for others',
    'messages.pin': 'manage_messages',
    'messages.unpin': 'manage_messages',
  })
})

test('each entry names its section of the specification', () => {
  const sections = [...all, ...Object.entries<Endpoint>(channelWebhookEndpoints.channelWebhooks)].map(
    ([name, { spec }]) => [name.split('.')[0]!, spec] as const,
  )
  expect(Object.fromEntries(sections)).toMatchObject({ messages: '4/Messages', users: '4/Users', servers: '4/Servers' })
  for (const [group, spec] of sections) expect(spec, group).toMatch(/^4\/[A-Z][a-z ]+$/)
})

test("the rate limits are those of §8 and of the local service, and only the callback works without the bot's token", () => {
  const rated = all.flatMap(([name, entry]) => (entry.limits ? [[name, ...entry.limits]] : []))
  expect(rated).toEqual([
    ['me.update', 'profile_changes'],
    ['me.setAvatar', 'profile_changes'],
    ['me.setBanner', 'profile_changes'],
    ['me.setStatus', 'profile_changes'],
    ['channels.create', 'new_channels'],
    ['channels.update', 'channel_edits'],
    ['voice.list', 'voice_lookups'],
    ['voice.move', 'voice_moves'],
    ['voice.disconnect', 'voice_moves'],
    ['messages.create', 'messages'],
    ['messages.update', 'message_edits', 'edits'],
    ['reactions.add', 'reactions'],
    ['reactions.remove', 'reactions'],
  ])
  expect(all.filter(([, entry]) => entry.auth !== 'bot').map(([name]) => name)).toEqual(['interactions.callback'])
})

test('only the POSTs that create something are not repeatable', () => {
  const once = all.filter(([, entry]) => !entry.repeatable).map(([, entry]) => entry.method)
  expect(new Set(once)).toEqual(new Set(['POST']))
  expect(endpoints.messages.create.repeatable).toBe(false)
  expect(endpoints.users.dm.repeatable).toBe(true)
  expect(endpoints.interactions.callback.repeatable).toBe(false)
})

/** All keys that a body can have, across its variants. */
function keys(schema: z.ZodType | undefined): string[] {
  const { def } = schema?._zod as unknown as { def: { shape?: object; options?: z.ZodType[] } }
  return def.shape ? Object.keys(def.shape) : (def.options ?? []).flatMap(keys)
}

test.each(all)('%s: path, query and body have distinct names, so that the input can be flat', (_, entry) => {
  const parts = [keys(entry.params), entry.query ? keys(entry.query) : [], entry.body ? keys(entry.body) : []]
  const names = parts.flatMap((part) => [...new Set(part)])
  if (entry.upload) names.push('file', 'content_type')
  expect(new Set(names).size).toBe(names.length)
  expect(entry.body === undefined || entry.upload === undefined).toBe(true)
})

test.each(all)('%s: the path parameters are validated', (_, entry) => {
  const names = Object.keys(entry.params.shape)
  const good = Object.fromEntries(names.map((name) => [name, id]))
  expect(entry.params.safeParse(good).success).toBe(true)
  for (const name of names) expect(entry.params.safeParse({ ...good, [name]: '' }).success, name).toBe(false)
})

const faultOf = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value)
  return error ? explain(error) : undefined
}
const repeat = (count: number) => 'x'.repeat(count)
const { me, commands, events, members, channels, moderation, messages } = endpoints

// [spec: 8/display_name, 8/bio, 8/activity, 8/commands, 8/command_name, 8/event_poll_wait, 8/members_page, 8/messages_page]
// [spec: 8/bulk_delete, 8/channel_slowmode, 8/timeout]
test.each<[string, z.ZodType, (value: number) => unknown, number, string]>([
  [
    'display_name',
    me.update.body,
    (n) => ({ display_name: repeat(n) }),
    32,
    'display_name: must be at most 32 characters',
  ],
  ['bio', me.update.body, (n) => ({ bio: repeat(n) }), 190, 'bio: must be at most 190 characters'],
  [
    'activity',
    me.setStatus.body,
    (n) => ({ status: 'idle', activity: repeat(n) }),
    60,
    'activity: must be at most 60 characters',
  ],
  [
    'commands',
    commands.replace.body,
    (n) => ({ commands: Array.from({ length: n }, (_, i) => ({ name: `c${i}`, description: '' })) }),
    100,
    'commands: must be at most 100 commands',
  ],
  [
    'command_name',
    commands.replace.body,
    (n) => ({ commands: [{ name: repeat(n), description: '' }] }),
    32,
    'commands[0].name: must be 1 to 32 lowercase letters, digits, - or _',
  ],
  ['wait', events.list.query, (n) => ({ wait: String(n) }), 25, 'wait: must be at most 25'],
  ['members limit', members.list.query, (n) => ({ limit: String(n) }), 500, 'limit: must be at most 500'],
  ['messages limit', messages.list.query, (n) => ({ limit: String(n) }), 100, 'limit: must be at most 100'],
  ['bulk delete', messages.bulkDelete.body, (n) => ({ ids: Array(n).fill(id) }), 100, 'ids: must be at most 100 ids'],
  ['slowmode', channels.update.body, (n) => ({ slowmode: n }), 21_600, 'slowmode: must be at most 21600 seconds'],
  [
    'timeout',
    moderation.timeout.body,
    (n) => ({ user_id: id, minutes: n }),
    40_320,
    'minutes: must be at most 40320 minutes',
  ],
])('%s: accepts the limit and one less, refuses one more', (_, schema, value, limit, words) => {
  expect(faultOf(schema, value(limit - 1))).toBeUndefined()
  expect(faultOf(schema, value(limit))).toBeUndefined()
  expect(faultOf(schema, value(limit + 1))).toBe(words)
})

test('refuses values below a lower limit', () => {
  expect(faultOf(members.list.query, { limit: '0' })).toBe('limit: must be at least 1')
  expect(faultOf(messages.list.query, { limit: '0' })).toBe('limit: must be at least 1')
  expect(faultOf(events.list.query, { wait: '-1' })).toBe('wait: must be at least 0')
  expect(faultOf(channels.update.body, { slowmode: -1 })).toBe('slowmode: must be at least 0')
  expect(faultOf(moderation.timeout.body, { user_id: id, minutes: -1 })).toBe('minutes: must be at least 0')
  expect(faultOf(moderation.timeout.body, { user_id: id, minutes: 0 })).toBeUndefined()
  expect(faultOf(moderation.timeout.body, { user_id: id, minutes: 1.5 })).toBe('minutes: must be an integer')
})

test('omitted query parameters have the defaults of the specification', () => {
  expect(members.list.query.parse({})).toEqual({ limit: 200 })
  expect(messages.list.query.parse({})).toEqual({ limit: 50 })
  expect(events.list.query.parse({})).toEqual({ after: 0, wait: 0 })
})

test('commands: names are lower-case and unique (§2)', () => {
  const fault = (...names: string[]) =>
    faultOf(commands.replace.body, { commands: names.map((name) => ({ name, description: '' })) })
  expect(fault('ping', 'a-b_9')).toBeUndefined()
  expect(fault()).toBeUndefined()
  for (const name of ['', 'Ping', 'a b', 'é', '/ping', 'ping\n']) {
    expect(fault(name)).toBe('commands[0].name: must be 1 to 32 lowercase letters, digits, - or _')
  }
  expect(fault('ping', 'ping')).toBe('commands: must not contain the same name twice')
})

test('errors of bodies are in plain words', () => {
  expect(faultOf(channels.create.body, {})).toBe('name: is required (string)')
  expect(faultOf(channels.create.body, { name: ' ' })).toBe('name: must not be empty')
  expect(faultOf(channels.create.body, { name: 'a', kind: 'video' })).toBe('kind: must be one of "text", "voice"')
  expect(faultOf(channels.update.body, { private: 'yes' })).toBe('private: must be true or false, not a string')
  expect(faultOf(channels.update.body, { role_ids: [id, 'x'] })).toBe('role_ids[1]: must be a UUID')
  expect(faultOf(me.setStatus.body, { status: 'away' })).toBe('status: must be one of "online", "idle", "dnd"')
  expect(faultOf(moderation.setNickname.body, { nickname: null })).toBeUndefined()
  expect(faultOf(moderation.kick.body, {})).toBe('user_id: is required (UUID)')
  expect(faultOf(moderation.kick.body, 'ann')).toBe('must be an object, not a string')
  expect(faultOf(messages.list.query, { before: 'noon' })).toBe('before: must be an ISO 8601 time')
})

test('lists at most five errors, without values', () => {
  const ids = ['secret-1', 'secret-2', 'secret-3', 'secret-4', 'secret-5', 'secret-6', 'secret-7']
  const words = faultOf(messages.bulkDelete.body, { ids })
  expect(words).toMatch(/^ids\[0\]: must be a UUID; .*ids\[4\]: must be a UUID; and 2 more$/)
  expect(words).not.toContain('secret')
})

test('the numbers of §8 that are not in schemas', () => {
  expect(limits).toMatchObject({
    messages: { requests: 30, seconds: 60, per: 'bot' },
    button_clicks: { requests: 5, seconds: 10, per: 'person' },
    interaction: { answer_seconds: 3, open_seconds: 900, answers: 10 },
    avatar: { bytes: 8_388_608 },
    banner: { bytes: 10_485_760 },
    event_retention: { seconds: 86_400 },
    voice_moves: { requests: 30, seconds: 60 },
    voice_lookups: { requests: 60, seconds: 60 },
    new_channels: { requests: 10, seconds: 60, per: 'server' },
    bots_per_person: { free: 2, paid: 10 },
    bots_per_server: { max: 25 },
    event_webhook_delivery: { seconds: 3 },
    channel_webhook_posts: { requests: 5, seconds: 2 },
    channel_webhook_posts_per_channel: { requests: 30, seconds: 60 },
    channel_webhooks: { per_channel: 10 },
  })
})

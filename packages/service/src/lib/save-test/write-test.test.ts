import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { BotCall, BotEvent } from '../people-api/resources.ts'
import { conversationOf } from './conversation.ts'
import type { ConversationOptions } from './conversation-types.ts'
import { writeTest } from './write-test.ts'

const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const here = id(1)
const [ann, bob, poll] = [id(11), id(12), id(13)]
let last = 0
const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()
const event = (seconds: number, type: string, data: object): BotEvent => ({
  id: ++last,
  at: at(seconds),
  type,
  data: JSON.stringify({ channel_id: here, server_id: id(2), ...data }),
})
const says = (seconds: number, n: number, author: string, content: string, more: object = {}) =>
  event(seconds, 'message', { id: id(n), author, author_id: author === 'ann' ? ann : bob, content, ...more })
const made = (
  seconds: number,
  method: string,
  path: string,
  sent: object,
  answer: object = { ok: true },
  status = 200,
): BotCall => ({
  id: ++last,
  at: at(seconds),
  bot_id: id(3),
  method,
  path: `/v1${path}`,
  sent: JSON.stringify(sent),
  status,
  answer: JSON.stringify(answer),
  took_ms: 1,
  retry_after: null,
  warnings: [],
})
const reply = (seconds: number, to: number, content: string, more: object = {}, n = 90) =>
  made(seconds, 'POST', `/channels/${here}/messages`, { content, reply_to: id(to), ...more }, { id: id(n) })
const components = [
  {
    type: 'row',
    components: [
      { label: 'Yes', custom_id: 'y' },
      { emoji: '👎', custom_id: 'n' },
    ],
  },
]

const written = (events: BotEvent[], calls: BotCall[], more: Partial<ConversationOptions> = {}): string[] => {
  const conversation = conversationOf({ events, calls, channelId: here, channel: 'general', serverId: id(2), ...more })
  const text = writeTest(conversation, { title: 'a talk' })
  return text
    .split('\n')
    .flatMap((line) => (line.startsWith('  ') ? [line.trim()] : []))
    .slice(1)
}

test('writes a message and its reply on one line', () => {
  const events = [says(0, 20, 'ann', '/ping'), says(1, 21, 'bob', 'hello')]
  expect(written(events, [reply(0.1, 20, 'pong')])).toEqual([
    "const ann = chat.person('ann')",
    "const bob = chat.person('bob')",
    "expect(await ann.says('/ping')).toHaveReplied('pong')",
    "await bob.says('hello')",
  ])
})

test('expects buttons, embeds, clicks, edits, ephemerals and reactions', () => {
  const click = (seconds: number, n: number, custom_id: string) =>
    event(seconds, 'interaction', { id: id(n), custom_id, message_id: poll, user_id: bob, username: 'bob' })
  const answer = (seconds: number, n: number, body: object) =>
    made(seconds, 'POST', `/interactions/${id(n)}/…/callback`, body)
  const events = [
    says(0, 20, 'ann', '/poll Tea?'),
    click(2, 30, 'y'),
    click(3, 31, 'n'),
    event(30, 'reaction_add', { message_id: poll, user_id: bob, username: 'bob', emoji: '🎉' }),
  ]
  const card = { title: 'Tea?', description: 'nobody yet', footer: { text: 'x' } }
  const calls = [
    made(0.1, 'POST', `/channels/${here}/messages`, { embeds: [card], components, reply_to: id(20) }, { id: poll }),
    made(0.2, 'PUT', `/channels/${here}/messages/${id(20)}/reactions/${encodeURIComponent('👍')}`, {}),
    answer(2.1, 30, { type: 'update', embeds: [{ title: 'Tea?', description: 'bob' }], components }),
    answer(3.1, 31, { type: 'ephemeral', content: "You can't" }),
  ]
  expect(written(events, calls).slice(2)).toEqual([
    "const answer1 = await ann.says('/poll Tea?')",
    'expect(answer1).toHaveReplied()',
    "expect(answer1).toHaveEmbed({ title: 'Tea?', description: 'nobody yet' })",
    "expect(answer1).toHaveButton('Yes')",
    "expect(answer1).toHaveButton('👎')",
    "expect(answer1).toHaveReacted('👍')",
    "const answer2 = await bob.clicks('Yes')",
    'expect(answer2).toHaveUpdated()',
    "expect(answer2).toHaveEmbed({ title: 'Tea?', description: 'bob' })",
    `expect(await bob.clicks('👎')).toHaveReplied({ content: "You can't", ephemeral: true })`,
    'await chat.clock.advance({ seconds: 27 })',
    "await bob.reacts('🎉')",
  ])
})

test('passes the answer to a click on an older message', () => {
  const events = [
    says(0, 20, 'ann', '/ask one'),
    says(1, 21, 'ann', '/ask two'),
    event(2, 'interaction', { id: id(30), custom_id: 'y', message_id: id(40), user_id: ann, username: 'ann' }),
    says(3, 22, 'ann', 'why?', { reply_to_id: id(41) }),
  ]
  const calls = [reply(0.1, 20, 'one?', { components }, 40), reply(1.1, 21, 'two?', { components }, 41)]
  const lines = written(events, calls)
  expect(lines).toContain("const answer1 = await ann.says('/ask one')")
  expect(lines).toContain("await ann.clicks('Yes', answer1)")
  expect(lines).toContain("await ann.replies(answer2, 'why?')")
})

test('uses the labels that buttons had at the time of the click', () => {
  const click = event(2, 'interaction', {
    id: id(30),
    custom_id: 'y',
    message_id: id(40),
    user_id: ann,
    username: 'ann',
  })
  const calls = [reply(0.1, 20, 'one?', { components }, 40)]
  const messages = [{ id: id(40), components: [] }]
  expect(written([says(0, 20, 'ann', '/ask'), click], calls, { messages })).toContain("await ann.clicks('Yes')")
})

test('assigns output after a requested click to the click', () => {
  const click = (seconds: number, n: number, custom_id: string, message_id: string) =>
    event(seconds, 'interaction', { id: id(n), custom_id, message_id, user_id: bob, username: 'bob' })
  const extend = [{ type: 'row', components: [{ label: 'Extend', custom_id: 'e' }] }]
  const events = [says(0, 20, 'bob', '/borrow Mobi'), click(2, 30, 'y', poll), click(4, 31, 'e', id(41))]
  const calls = [
    reply(0.1, 20, 'Moby?', { components }, 13),
    made(2.1, 'POST', `/interactions/${id(30)}/…/callback`, { type: 'update', components: [] }),
    reply(2.2, 20, 'lent until 15 Jan', { components: extend }, 41),
    made(4.1, 'POST', `/interactions/${id(31)}/…/callback`, { type: 'update', content: 'lent until 22 Jan' }),
  ]
  expect(written(events, calls).slice(1)).toEqual([
    "const answer1 = await bob.says('/borrow Mobi')",
    "expect(answer1).toHaveReplied('Moby?')",
    "expect(answer1).toHaveButton('Yes')",
    "expect(answer1).toHaveButton('👎')",
    "const answer2 = await bob.clicks('Yes')",
    'expect(answer2).toHaveUpdated()',
    "expect(answer2).toHaveReplied('lent until 15 Jan')",
    "expect(answer2).toHaveButton('Extend')",
    "expect(await bob.clicks('Extend')).toHaveUpdated('lent until 22 Jan')",
  ])
})

test('assigns output after a requested text to the text', () => {
  const events = [says(0, 20, 'ann', '/add'), says(2, 21, 'ann', 'Moby Dick'), says(4, 22, 'ann', '/list')]
  const calls = [reply(0.1, 20, 'Which?'), reply(2.1, 20, 'Added', {}, 91), reply(4.1, 22, 'Moby Dick', {}, 92)]
  expect(written(events, calls).slice(1)).toEqual([
    "expect(await ann.says('/add')).toHaveReplied('Which?')",
    "expect(await ann.says('Moby Dick')).toHaveReplied('Added')",
    "expect(await ann.says('/list')).toHaveReplied('Moby Dick')",
  ])
})

test('sets the clock to the time of the conversation, and refers to channels by name', () => {
  const channels = new Map([[id(50), { server: 'Workshop', name: 'staff' }]])
  const events = [says(0, 20, 'ann', `/library staff-channel <#${id(50)}>`), says(1, 21, 'ann', `see ${id(51)}`)]
  const calls = [reply(0.1, 20, `Now <#${id(50)}>.`)]
  const staff = '<#${chat.world.servers.Workshop?.channels.staff}>'
  expect(written(events, calls, { channels }).slice(1)).toEqual([
    `expect(await ann.says(\`/library staff-channel ${staff}\`)).toHaveReplied(\`Now ${staff}.\`)`,
    // Messages of people are texts, never patterns.
    `await ann.says('see ${id(51)}')`,
  ])
  const conversation = conversationOf({ events, calls, channelId: here, channel: 'general', serverId: null })
  expect(writeTest(conversation, { title: 't' })).toContain(
    "startTestBot(folder, { now: '2026-01-01T00:00:00.000Z', trace: 'on-failure' })",
  )
})

test('expects messages in other channels, if the conversation caused them', () => {
  const channels = new Map([[id(50), { server: 'Workshop', name: 'random' }]])
  const events = [
    says(0, 20, 'ann', '/news tea'),
    event(5, 'message', { id: id(21), channel_id: id(50), author_id: bob, author: 'bob', content: '/ping' }),
  ]
  const there = (seconds: number, content: string) => made(seconds, 'POST', `/channels/${id(50)}/messages`, { content })
  const calls = [there(0.1, 'News: tea'), reply(0.2, 20, 'Sent.'), there(5.1, 'pong')]
  expect(written(events, calls, { channels }).slice(1)).toEqual([
    "const answer1 = await ann.says('/news tea')",
    "expect(answer1).toHaveReplied({ content: 'News: tea', channel_name: 'random' })",
    "expect(answer1).toHaveReplied('Sent.')",
  ])
})

test('does not expect what another channel caused', () => {
  const channels = new Map([[id(50), { server: 'Workshop', name: 'random' }]])
  const events = [
    says(0, 20, 'ann', '/ping'),
    event(5, 'message', { id: id(21), channel_id: id(50), author_id: bob, author: 'bob', content: '/announce tea' }),
    says(7, 22, 'ann', 'hello'),
  ]
  const calls = [
    reply(0.1, 20, 'pong'),
    // Bob's command posts, edits and reacts here, and answers there after Ann's next message.
    made(5.1, 'POST', `/channels/${here}/messages`, { content: 'News: tea' }, { id: id(60) }),
    made(5.2, 'PATCH', `/channels/${here}/messages/${id(60)}`, { content: 'News: tea!' }),
    made(5.3, 'PUT', `/channels/${here}/messages/${id(60)}/reactions/${encodeURIComponent('🍵')}`, {}),
    made(7.1, 'POST', `/channels/${id(50)}/messages`, { content: 'Announced.', reply_to: id(21) }),
  ]
  expect(written(events, calls, { channels }).slice(1)).toEqual([
    "expect(await ann.says('/ping')).toHaveReplied('pong')",
    "await ann.says('hello')",
  ])
})

test('expects the fields of cards', () => {
  const fields = [
    { name: 'Yes', value: `<@${bob}>`, inline: true },
    { name: 'Id', value: `is ${id(70)}` },
  ]
  expect(
    written([says(0, 20, 'ann', '/poll')], [reply(0.1, 20, '', { embeds: [{ fields }] })], {
      people: new Map([[bob, 'bob']]),
    }),
  ).toContain(
    "expect(answer1).toHaveEmbed({ fields: [{ name: 'Yes', value: `<@${await bob.known()}>` }, { name: 'Id', value: expect.stringMatching(/^is [0-9a-f-]{36}$/) }] })",
  )
})

test('expects a handler that threw to throw', () => {
  expect(written([says(0, 20, 'ann', '/bad')], [reply(0.1, 20, 'Something went wrong (ref ab2c).')])).toContain(
    "await expect(ann.says('/bad')).rejects.toThrow()",
  )
})

test('can start at a message, and comments on what it cannot reproduce', () => {
  const events = [
    says(0, 20, 'ann', '/ask'),
    says(5, 21, 'bob', 'now'),
    event(6, 'interaction', { id: id(30), custom_id: 'y', message_id: id(40), user_id: ann, username: 'ann' }),
    event(7, 'interaction', { id: id(31), custom_id: 'z', message_id: id(77), user_id: ann, username: 'ann' }),
  ]
  expect(written(events, [reply(0.1, 20, 'one?', { components }, 40)], { from: { messageId: id(21) } })).toEqual([
    "const bob = chat.person('bob')",
    "const ann = chat.person('ann')",
    "await bob.says('now')",
    '// ann clicks Yes on a message that this test does not have.',
    '// ann clicks a button on a message that this test does not have.',
  ])
  expect(written(events, [], { from: { messageId: id(99) } })).toEqual([])
})

test('skips refused calls, other bots and other channels', () => {
  const events = [
    says(0, 20, 'ann', '/ping'),
    says(0, 23, 'bob', 'from a bot', { author_bot: true }),
    says(0, 24, 'bob', 'elsewhere', { channel_id: id(5) }),
  ]
  const refused = made(0.1, 'POST', `/channels/${here}/messages`, { content: 'x', reply_to: id(20) }, {}, 403)
  const other = made(0.2, 'POST', `/channels/${id(5)}/messages`, { content: 'y' })
  expect(written(events, [refused, other]).slice(1)).toEqual(["await ann.says('/ping')"])
})

test('replaces the ids of people by their ids in the test, and other ids by a pattern', () => {
  const events = [says(0, 20, 'bob', 'hi'), says(1, 21, 'ann', `/slap <@${bob}> \`\${x}\``)]
  const calls = [reply(1.1, 21, `<@${bob}> was slapped`), reply(1.2, 21, `see ${id(70)} (1+1)`, {}, 91)]
  const lines = written(events, calls)
  expect(lines).toContain('const answer2 = await ann.says(`/slap <@${await bob.known()}> \\`\\${x}\\``)')
  expect(lines).toContain('expect(answer2).toHaveReplied(`<@${await bob.known()}> was slapped`)')
  expect(lines).toContain('expect(answer2).toHaveReplied(/^see [0-9a-f-]{36} \\(1\\+1\\)$/)')
})

test('creates people who are only mentioned, and keeps unknown ids', () => {
  const people = new Map([
    [bob, 'bob'],
    [id(14), 'cid'],
  ])
  const card = { embeds: [{ title: 'Slapped', description: `<@${id(14)}>` }] }
  const events = [says(0, 20, 'ann', `/slap <@${bob}>`), says(1, 21, 'ann', `/slap <@${id(15)}>`)]
  expect(written(events, [reply(0.1, 20, '', card)], { people })).toEqual([
    "const ann = chat.person('ann')",
    "const bob = chat.person('bob')",
    "const cid = chat.person('cid')",
    'const answer1 = await ann.says(`/slap <@${await bob.known()}>`)',
    'expect(answer1).toHaveReplied()',
    "expect(answer1).toHaveEmbed({ title: 'Slapped', description: `<@${await cid.known()}>` })",
    `await ann.says('/slap <@${id(15)}>')`,
  ])
})

test('gives people valid variable names', () => {
  const names = ['ann', 'folder', 'startTestBot', 'URL', 'chat', 'class', 'mr.big', '2pac', 'mr_big', 'mr-big']
  const events = names.map((name, i) => says(i, 20 + i, name, 'x'))
  expect(written(events, []).filter((line) => line.startsWith('const'))).toEqual([
    "const ann = chat.person('ann')",
    "const personFolder = chat.person('folder')",
    "const personStartTestBot = chat.person('startTestBot')",
    "const personURL = chat.person('URL')",
    "const personChat = chat.person('chat')",
    "const personClass = chat.person('class')",
    "const mrBig = chat.person('mr.big')",
    "const person2pac = chat.person('2pac')",
    "const mr_big = chat.person('mr_big')",
    "const mrBig2 = chat.person('mr-big')",
  ])
})

test('characters that turn or hide text are visible in the source', () => {
  const turned = "a\u202e'b\u2066\u00adc"
  const people = new Map([[bob, 'bob']])
  const events = [says(0, 20, 'ann', turned), says(1, 21, 'ann', `<@${bob}>${turned}`)]
  const options = { events, calls: [reply(1.1, 21, `${id(70)}${turned}`)], people, channel: `x${turned}` }
  const text = writeTest(conversationOf({ ...options, channelId: here, serverId: null }), { title: turned })
  expect(text).not.toMatch(/\p{Cf}/u)
  expect(text.match(/\\u202e/g)).toHaveLength(7)
  expect(runInNewContext(/says\((.*)\)$/m.exec(text)![1]!)).toBe(turned)
})

test('supports direct messages, and comments on channels outside of the default world', () => {
  const events = [says(0, 20, 'ann', 'x')]
  expect(written(events, [], { channel: null })[0]).toBe("const ann = chat.person('ann').dm()")
  expect(written(events, [], { channel: 'random' })[0]).toBe("const ann = chat.person('ann').in('random')")
  const conversation = conversationOf({ events, calls: [], channelId: here, channel: 'lab\nx', serverId: null })
  expect(writeTest(conversation, { title: 't' })).toContain('// The default world has no channel #lab x.')
})

test('a world of its own is given to the bot, and its channels need no note', () => {
  const world = {
    people: [{ username: 'ann', accepts_dms: false }],
    servers: [
      { name: 'Attic', owner: 'ann', channels: [{ name: 'lab' }] },
      { name: 'Mr. B', owner: 'ann', channels: [{ name: 'lab' }, { name: '2nd' }, { name: 'general' }] },
    ],
  }
  const textIn = (server: string, channel: string): string => {
    const channels = new Map([[here, { server, name: channel }]])
    const options = { events: [says(0, 20, 'ann', 'x')], calls: [], channelId: here, channel, channels }
    return writeTest(conversationOf({ ...options, serverId: id(2) }), { title: 't', world })
  }
  const text = textIn('Attic', 'lab')
  const [, given] = /startTestBot\(folder, (\{.*?\n {2}\})\)/s.exec(text)!
  expect(runInNewContext(`(${given})`)).toEqual({ now: '2026-01-01T00:00:00.000Z', trace: 'on-failure', world })
  expect(text).not.toContain('//')
  expect(text).toContain("chat.person('ann').in('lab')")
  // The kit takes the first channel of a name.
  expect(textIn('Mr. B', 'lab')).toContain("chat.person('ann').in(chat.world.servers['Mr. B']!.channels.lab!)")
  // Without a place, people are in the first server.
  expect(textIn('Mr. B', 'general')).toContain("chat.person('ann').in('general')")
  expect(textIn('Mr. B', '2nd')).toContain("chat.person('ann').in('2nd')")
  expect(textIn('Mr. B', 'new')).toContain('// The world below has no channel #new')
})

test('the bot gets its variables', () => {
  const conversation = conversationOf({ events: [], calls: [], channelId: here, channel: null, serverId: null })
  expect(writeTest(conversation, { title: 't', env: { WEATHER_KEY: 'test' } })).toContain(
    "trace: 'on-failure', env: { WEATHER_KEY: 'test' } })",
  )
})

test("a world's texts read back as themselves", () => {
  const hostile = "it's */ </script> ${x} ` \\ \u2028 \n"
  const world = { people: [{ username: 'ann', display_name: hostile }], content_rules: { words: [hostile] } }
  const conversation = conversationOf({ events: [], calls: [], channelId: here, channel: null, serverId: null })
  const [, given] = /startTestBot\(folder, (\{.*?\n {2}\})\)/s.exec(writeTest(conversation, { title: 't', world }))!
  expect(runInNewContext(`(${given})`)).toMatchObject({ world })
})

test.each(["it's", '"', `'"`, '\\', '${x}', '`', '\n\r\t', '\u2028', '\u0000', '😀', '\ud800', '*/', '</script>'])(
  'round-trips the text %j',
  (content) => {
    const text = writeTest(
      {
        channel: null,
        names: new Map(),
        channels: new Map(),
        steps: [{ kind: 'message', atMs: 0, username: 'ann', what: content, actions: [] }],
      },
      { title: content },
    )
    for (const found of [/says\((.*)\)$/m, /^test\((.*), async/m])
      expect(runInNewContext(found.exec(text)![1]!)).toBe(content)
  },
)

test('after the clock was set back, new steps keep their replies and follow the old ones', () => {
  const events = [says(7200, 20, 'ann', '/one'), says(10, 21, 'ann', '/two'), says(12, 22, 'ann', '/three')]
  const calls = [reply(10.1, 21, '2'), reply(12.1, 22, '3', {}, 91)]
  const fresh = [
    "expect(await ann.says('/two')).toHaveReplied('2')",
    "expect(await ann.says('/three')).toHaveReplied('3')",
  ]
  expect(written(events, calls).slice(1)).toEqual(["await ann.says('/one')", ...fresh])
  expect(written(events, calls, { from: { atMs: Date.parse(at(10)) } }).slice(1)).toEqual(fresh)
})

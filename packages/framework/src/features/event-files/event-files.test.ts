import { MemoryStore } from '../../author/state/memory-store.ts'
import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { emoji, inChannel } from './guards.ts'
import type { MatchResult } from '../../bot/layer.ts'
import { click, deliver, id, message, start } from '../../tests/loaded-bot.test.fixture.ts'

const file = (options: string, event = 'message') =>
  `import { anyOf, directMessage, emoji, event, from, inChannel, mentioned, not } from 'botwright'
  export default event('${event}', ${options})`
const says = (name: string) => `run: () => '${name}'`

const turns = async (count = 100) => {
  for (let i = 0; i < count; i++) await Promise.resolve()
}

/** A bot whose answers are the names of the files that run. */
async function answers(files: Record<string, string>, host: Parameters<typeof start>[2] = {}) {
  const results: MatchResult[] = []
  const matched = (result: MatchResult) => void results.push(result)
  const { bot, calls, logged, outcomes } = await start(files, {}, host, { matched })
  const given = async (delivery: Parameters<typeof bot.handle>[0]) => {
    calls.length = 0
    await bot.handle(delivery)
    return calls.flatMap(([name, { content }]) => (name === 'messages.create' ? [content] : []))
  }
  return { bot, calls, given, logged, outcomes, results }
}

test('all files that match run in the order of their names; otherwise runs only if no other does', async () => {
  const { given, results } = await answers({
    'events/message/(later)/else.ts': file(`{ otherwise: true, ${says('else')} }`),
    'events/message/bug.ts': file(
      String.raw`{ match: /\bBUG-(?<id>\d+)(?<note>!)?/, run: (ctx) => 'bug ' + ctx.match.groups.id + ctx.match.groups.note + ctx.match[0] }`,
    ),
    'events/message/mention.ts': file(`{ when: mentioned(), ${says('mention')} }`),
    'events/message/support.ts': file(`{ when: [inChannel('#Support'), not(directMessage())], ${says('support')} }`),
  })
  expect(await given(message({ content: 'see BUG-12', mentioned: true, channel_name: 'support' }))).toEqual([
    'bug 12BUG-12',
    'mention',
    'support',
  ])
  results.length = 0
  expect(await given(message({ content: 'hello', channel_name: 'general' }))).toEqual(['else'])
  expect(results).toEqual([
    {
      reason: 'condition',
      file: 'events/message/bug.ts',
      rule: String.raw`only for texts that match /\bBUG-(?<id>\d+)(?<note>!)?/`,
    },
    { reason: 'condition', file: 'events/message/mention.ts', rule: 'only for messages that mention the bot' },
    { reason: 'condition', file: 'events/message/support.ts', rule: 'only in #support' },
    { file: 'events/message/(later)/else.ts' },
  ])
  expect(await given(message({ content: 'BUG-1!', server_id: null, channel_name: null }))).toEqual(['bug 1!BUG-1!'])
  expect(results.at(-1)).toEqual({
    reason: 'condition',
    file: 'events/message/(later)/else.ts',
    rule: 'only if no other file of this event runs',
  })
})

test('conditions that ask the service keep the order of the files', async () => {
  const roles = { roles: [{ id: id(7), name: 'mods', position: 1 }] }
  const call = (async (name: string) => {
    if (name === 'servers.roles') return roles
    if (name === 'members.get') return { member: { roles: [id(7)] } }
    if (name === 'channels.get') return { channel: { name: 'support' } }
    return { id: id(500) }
  }) as never
  const order: unknown[] = []
  Object.assign(globalThis, { order })
  const runs = (name: string) => `run: () => void globalThis.order.push('${name}')`
  const { given } = await answers(
    {
      'events/reaction_add/a.ts': file(`{ when: [emoji('⭐', '❤️'), from('mods')], ${runs('a')} }`, 'reaction_add'),
      'events/reaction_add/b.ts': file(`{ when: inChannel('support'), ${runs('b')} }`, 'reaction_add'),
      'events/reaction_add/c.ts': file(`{ when: async () => true, ${runs('c')} }`, 'reaction_add'),
      'events/reaction_add/d.ts': file(`{ when: (ctx) => ctx.event.emoji === '⭐', ${runs('d')} }`, 'reaction_add'),
    },
    { call },
  )
  const reaction = (emoji: string) =>
    deliver('reaction_add', { user_id: id(40), channel_id: id(20), server_id: id(30), message_id: id(60), emoji })
  await given(reaction('❤'))
  await given(reaction('⭐'))
  expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'd'])
})

test('a condition that throws is an error of its file, and the others run', async () => {
  const { given, logged, outcomes } = await answers({
    'events/message/a.ts': file(`{ when: () => { throw new Error('no condition') }, ${says('a')} }`),
    'events/message/b.ts': file(`{ when: async () => { throw new Error('no promise') }, ${says('b')} }`),
    'events/message/c.ts': file(`{ ${says('c')} }`),
    'events/message/d.ts': file(`{ when: [mentioned], ${says('d')} }`),
  })
  expect(await given(message({ content: 'hello' }))).toEqual(['c'])
  expect(logged.map((line) => line.replace(/:\d+/, '')).sort()).toEqual([
    'events/message/a.ts: no condition',
    'events/message/b.ts: no promise',
    'events/message/d.ts: when: mentioned is a function: call it, as in when: mentioned()',
  ])
  expect(outcomes.map(({ file: at, result }) => `${at} ${result}`).sort()).toEqual([
    'events/message/a.ts error',
    'events/message/b.ts error',
    'events/message/c.ts ok',
    'events/message/d.ts error',
  ])
})

test('an event that is delivered again does not run the files that had ended', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const files = {
    'events/message/a.ts': file(`{ ${says('a')} }`),
    'events/message/b.ts': file(`{ match: /hello/, run: () => new Promise((resolve) => (globalThis.endB = resolve)) }`),
    'events/message/c.ts': file(`{ match: /bye/, ${says('c')} }`),
    'events/message/z.ts': file(`{ otherwise: true, ${says('z')} }`),
  }
  const sent: string[] = []
  const first = await answers(files, { clock, store, sendNow: () => void sent.push('now') })
  const delivery = message({ content: 'hello' })
  const running = first.bot.handle(delivery)
  await turns()
  expect(first.bot.running!(delivery)).toEqual(['events/message/b.ts'])
  expect((await store.list('handled:')).map(({ value }) => value)).toEqual([['events/message/a.ts']])
  expect(sent).toEqual(['now'])
  // The process dies here, and another one delivers the event again.
  const second = await answers(files, { clock, store })
  const again = second.given({ ...delivery, attempt: 2 })
  await turns()
  ;(globalThis as unknown as { endB: (text: string) => void }).endB('b')
  expect(await again).toEqual(['b'])
  void running
})

test('a file with otherwise that had not ended runs again, although another one with otherwise had ended', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const files = {
    'events/message/a.ts': file(`{ match: /bye/, ${says('a')} }`),
    'events/message/y.ts': file(`{ otherwise: true, ${says('y')} }`),
    'events/message/z.ts': file(
      `{ otherwise: true, run: () => new Promise((resolve) => (globalThis.endZ = resolve)) }`,
    ),
  }
  const first = await answers(files, { clock, store })
  const delivery = message({ content: 'hello' })
  const running = first.bot.handle(delivery)
  await turns()
  expect((await store.list('handled:')).map(({ value }) => value)).toEqual([['events/message/y.ts']])
  // The process dies here, and another one delivers the event again.
  const second = await answers(files, { clock, store })
  const again = second.given({ ...delivery, attempt: 2 })
  await turns()
  ;(globalThis as unknown as { endZ: (text: string) => void }).endZ('z')
  expect(await again).toEqual(['z'])
  expect(second.results.at(-1)).toEqual({ file: 'events/message/z.ts' })
  void running
})

test('the ends of files are stored for the last 100 events only', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const { bot } = await answers(
    { 'events/message/a.ts': file('() => {}'), 'events/message/b.ts': file('async () => {}') },
    { clock, store },
  )
  for (let i = 0; i < 120; i++) await bot.handle(message({ content: 'hello' }))
  await turns()
  expect(await store.list('handled:')).toHaveLength(100)
})

test('a click that no file of events/interaction/ matches gets the answer of an outdated button', async () => {
  const { given, calls } = await answers({
    'events/interaction/a.ts': file(`{ when: (ctx) => ctx.custom_id === 'a', ${says('a')} }`, 'interaction'),
    'events/interaction/b.ts': file(`{ when: (ctx) => ctx.custom_id === 'b', ${says('b')} }`, 'interaction'),
  })
  await given(click('b'))
  expect(calls.map(([name, input]) => [name, input['content']])).toEqual([['interactions.callback', 'b']])
  await given(click('c'))
  expect(calls).toHaveLength(1)
  expect(JSON.stringify(calls[0])).toContain('This button is outdated.')
})

test('one file with conditions that do not pass leaves the event without a file', async () => {
  const { given, results } = await answers({
    'events/message.ts': file(`{ match: 'bug', ${says('bug')} }`),
    'commands/tea.ts': `export default () => 'tea'`,
  })
  expect(await given(message({ content: '/te' }))).toEqual([])
  expect(results).toEqual([
    { reason: 'condition', file: 'events/message.ts', rule: 'only for texts that match /bug/' },
    { reason: 'no_command', near: 'tea' },
  ])
})

test.each([
  ['match: 5', 'events/message.ts: match must be a RegExp, such as /\\bhello\\b/i'],
  ["match: ''", 'events/message.ts: match must not be empty: every text would match'],
  ["match: '('", /^events\/message\.ts: match: Invalid regular expression/],
  ['match: /a/g', 'events/message.ts: match: remove the flags g and y, because ctx.match is the first match'],
  ['when: []', 'events/message.ts: when must have at least one guard'],
  ["when: ['bug']", 'events/message.ts: when[0] must be created with guard({ … }), serverOnly() or another guard'],
  ['otherwise: 1', 'events/message.ts: otherwise must be true: leave it out instead'],
  ['mach: /a/', 'events/message.ts: unknown field "mach"; did you mean match?'],
])('rejects %s with the fix', async (options, text) => {
  const loading = start({ 'events/message.ts': file(`{ ${options}, run: () => {} }`) })
  await expect(loading).rejects.toThrow(text)
})

test('rejects conditions that have no effect', async () => {
  const ready = start({ 'events/ready.ts': file('{ otherwise: true, run: () => {} }', 'ready') })
  await expect(ready).rejects.toThrow(
    'events/ready.ts: match, when and otherwise have no effect on "ready"; remove them',
  )
  const join = start({ 'events/member_join.ts': file('{ match: /a/, run: () => {} }', 'member_join') })
  await expect(join).rejects.toThrow('events/member_join.ts: match has an effect only on "message"; use when')
  expect(() => emoji('')).toThrow("emoji: pass one or more emoji, such as emoji('⭐')")
  expect(() => inChannel('#')).toThrow("inChannel: the channel must be its id or name, such as inChannel('#support')")
})

test('names of channels are equal in every form of their letters', async () => {
  const composed = 'Caf\u00e9'
  const { given, calls } = await answers(
    { 'events/message.ts': file(`{ when: inChannel('#${composed}'), ${says('in')} }`) },
    {},
  )
  expect(await given(message({ content: 'hello', channel_name: composed.normalize('NFD') }))).toEqual(['in'])
  expect(await given(message({ content: 'hello', channel_name: 'cafe' }))).toEqual([])
  expect(calls).toEqual([])
})

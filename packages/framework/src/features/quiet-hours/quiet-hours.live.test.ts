import { join } from 'node:path'
import { AdvanceableClock, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { MemoryCluster } from '../cluster/memory-cluster.test.fixture.ts'
import { count } from '../cluster/two-instances.test.fixture.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { History } from '../history/history.ts'
import { stepTexts } from '../history/step-texts.test.fixture.ts'
import { timelineOf } from '../history/timeline.ts'
import { newHeldId } from './held-messages.ts'
import { heldPrefix } from './held-prefix.ts'
import { quietNow, timeIn } from './quiet-now.test.fixture.ts'

const HOUR_MS = 60 * 60_000
const now = quietNow
const later = { from: timeIn(6), until: timeIn(7) }

const sendCode = `export default async (ctx) => {
  const { id, held_until } = await ctx.send(ctx.channel_id, ctx.typed)
  return (held_until ? 'held ' : 'sent ') + id
}`
const call = (code: string) => `export default async (ctx) => {
  const [message_id, content] = ctx.typed.split(' ')
  const message = { channel_id: ctx.channel_id, message_id }
  ${code}
  return 'done'
}`
const files = {
  'commands/send.ts': sendCode,
  'commands/edit.ts': call('await ctx.edit({ channel_id: ctx.channel_id, id: message_id }, content)'),
  'commands/drop.ts': call('await ctx.delete({ channel_id: ctx.channel_id, id: message_id })'),
  'commands/answer.ts': call('await ctx.send(ctx.channel_id, { content, reply_to: message_id })'),
  'commands/sweep.ts': `export default async (ctx) => {
    const { deleted, skipped } = await ctx.api.messages.deleteAll({ channel_id: ctx.channel_id, ids: ctx.typed.split(' ') })
    return 'done ' + JSON.stringify([deleted, skipped])
  }`,
  'commands/like.ts': call("await ctx.api.reactions.add({ ...message, emoji: '👍' })"),
}

/** Sends commands one after the other; each returns its reply. */
async function rigOf(rig: ChatRig) {
  const says = async (text: string, channel = 'general') => {
    const before = await rig.texts(channel)
    await rig.says('ann', text, channel)
    const replies = async () => (await rig.texts(channel)).slice(before.length + 1)
    await rig.until(async () => (await replies()).some((line) => /^(?:held|sent|done)/.test(line)))
    return (await replies()).findLast((line) => /^(?:held|sent|done)/.test(line))!
  }
  const hold = async (text: string) => (await says(`/send ${text}`)).replace('held ', '')
  const has = (...texts: string[]) =>
    rig.until(async () => {
      const all = await rig.texts()
      return texts.every((text) => all.includes(text))
    })
  return { says, hold, has }
}

test.each(['inline', 'worker'] as const)(
  'the timeline shows that a message is held, and one of its own shows that it was sent (%s)',
  async (dispatcher) => {
    await using rig = await ChatRig.start()
    const clock = new AdvanceableClock(systemClock)
    const bot = await rig.startBot(files, { dispatcher, clock, config: { quietHours: now, record: true } })
    const { hold, has } = await rigOf(rig)
    await hold('tea')
    expect(await rig.texts()).not.toContain('tea')
    clock.advance(3 * HOUR_MS)
    await has('tea')
    await rig.until(() => rig.logged('info').some((line) => line.startsWith('a held message was sent')))
    expect(rig.logged('info')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^a message to channel #general is held until \S+Z$/),
        'a held message was sent to channel #general',
      ]),
    )
    await bot.stop()
    using history = new History(join(rig.root, '.botwright/history.db'))
    const [command, sent] = history.events({}).filter(({ type }) => type === 'message' || type === 'held_message')
    expect(stepTexts(timelineOf(command!))).toContainEqual(
      expect.stringMatching(/^send “tea” \(held until .*: quiet hours\)$/),
    )
    expect(sent).toMatchObject({ type: 'held_message', result: 'ok', calls: [{ name: 'messages.create' }] })
    expect(stepTexts(timelineOf(sent!))).toContain('send “tea”')
  },
)

test('a held message can be edited and deleted, and an edit with its id reaches the message that was sent', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  await rig.startBot(files, { clock, config: { quietHours: now } })
  const { says, hold, has } = await rigOf(rig)
  const [first, second] = [await hold('first'), await hold('second')]
  await says(`/edit ${first} better`)
  await says(`/drop ${second}`)
  await rig.says('ann', `/like ${first}`)
  await rig.until(() => rig.logged('error').length > 0)
  expect(rig.logged('error').join()).toContain('reactions.add: the message is held for quiet hours: a held message can')
  clock.advance(3 * HOUR_MS)
  await has('better')
  await says(`/edit ${first} best`)
  await says(`/like ${first}`)
  const texts = await rig.texts()
  expect(texts).toContain('best')
  expect(['first', 'second', 'better'].filter((text) => texts.includes(text))).toEqual([])
})

test('messages are deleted together, whether they are held, were sent, or were never held', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const bot = await rig.startBot(files, { clock, config: { quietHours: now } })
  const { says, hold, has } = await rigOf(rig)
  const [a, b, c] = [await hold('a'), await hold('b'), await hold('c')]
  const unknown = newHeldId(Date.now())
  expect(await says(`/sweep ${a.toUpperCase()} ${unknown}`)).toBe(`done [["${a.toUpperCase()}"],["${unknown}"]]`)
  clock.advance(3 * HOUR_MS)
  await has('b', 'c')
  const { id } = await bot.call('messages.create', { channel_id: rig.channel('general'), content: 'd' })
  await rig.says('ann', `/sweep ${b} ${unknown} ${id}`)
  await has(`done [["${b}","${id}"],["${unknown}"]]`)
  await rig.says('ann', `/edit ${c} e`)
  await has('e')
  const texts = await rig.texts()
  expect(['a', 'b', 'c', 'd', 'e'].filter((text) => texts.includes(text))).toEqual(['e'])
})

test('a message is held at once although the message budget is used up', async () => {
  await using rig = await ChatRig.start()
  const store = new MemoryStore(systemClock)
  const config = { store: () => store, quietHours: now, messageBudget: { requests: 2, seconds: 600 } }
  const bot = await rig.startBot(files, { config })
  for (const content of ['one', 'two'])
    await bot.call('messages.create', { channel_id: rig.channel('random'), content })
  await rig.says('ann', '/send tea')
  await rig.until(async () => (await store.list(heldPrefix)).length === 1)
})

test('an edit that the service would refuse leaves the held message as it is', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const blank = call("await ctx.edit({ channel_id: ctx.channel_id, id: message_id }, { content: '' })")
  const long = call("await ctx.edit({ channel_id: ctx.channel_id, id: message_id }, 'x'.repeat(5000))")
  const edits = { 'commands/blank.ts': blank, 'commands/long.ts': long }
  await rig.startBot({ ...files, ...edits }, { clock, config: { quietHours: now } })
  const { hold, has } = await rigOf(rig)
  const id = await hold('tea')
  await rig.says('ann', `/long ${id}`)
  await rig.until(() => rig.logged('error').some((line) => line.includes('messages.update: content')))
  await rig.says('ann', `/blank ${id}`)
  await rig.until(() => rig.logged('error').some((line) => line.includes('messages.create: content')))
  clock.advance(3 * HOUR_MS)
  await has('tea')
})

test('the id of a held message can be answered, in upper case too', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  await rig.startBot(files, { clock, config: { quietHours: now } })
  const { says, hold, has } = await rigOf(rig)
  const id = (await hold('tea')).toUpperCase()
  await says(`/answer ${id} early`)
  await says(`/edit ${id} coffee`)
  clock.advance(3 * HOUR_MS)
  await has('coffee', 'early')
  await says(`/answer ${id} late`)
  const { messages } = await rig.person('ann').messages.list({ channel_id: rig.channel('general') })
  const sent = messages.find(({ content }) => content === 'coffee')!
  const answers = messages.filter(({ content }) => content === 'early' || content === 'late')
  expect(answers.map(({ reply_to_id }) => reply_to_id)).toEqual([sent.id, sent.id])
})

test('an answer is sent without its reference if the message that it answers is deleted while it is held', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  await rig.startBot(files, { clock, config: { quietHours: now } })
  const { says, hold, has } = await rigOf(rig)
  const held = await hold('tea')
  await says(`/answer ${held} held`)
  await says(`/drop ${held}`)
  const channel_id = rig.channel('general')
  const { id: message_id } = await rig.person('ann').messages.create({ channel_id, content: 'coffee' })
  await says(`/answer ${message_id} usual`)
  await rig.person('ann').messages.delete({ channel_id, message_id })
  clock.advance(3 * HOUR_MS)
  await has('held', 'usual')
  expect(rig.logged('error')).toEqual([])
})

test('a channel that the bot could not see for a moment has quiet hours all the same', async () => {
  await using rig = await ChatRig.start()
  await rig.startBot(files, { config: { quietHours: now } })
  const { says } = await rigOf(rig)
  const unseen = { then: { status: 403, body: { error: 'forbidden' } }, times: 2 }
  await rig.fault('GET', `/v1/channels/${rig.channel('general')}`, unseen)
  expect(await says('/send one')).toMatch(/^sent/)
  expect(await says('/send two')).toMatch(/^held/)
})

test('many held messages are read a few times when the bot starts', async () => {
  await using rig = await ChatRig.start()
  const store = new MemoryStore(systemClock)
  const server_id = rig.service.world.servers['Workshop']!.id
  for (let n = 0; n < 200; n++) {
    const message = { channel_id: rig.channel('general'), content: `${n}` }
    await store.set(heldPrefix + newHeldId(Date.now()), { state: 'waiting', message, server_id, heldMs: Date.now() })
  }
  let looks = 0
  const list: MemoryStore['list'] = (prefix, options) => {
    if (prefix === heldPrefix) looks++
    return store.list(prefix, options)
  }
  const counting = { get: store.get.bind(store), set: store.set.bind(store), delete: store.delete.bind(store), list }
  await rig.startBot(files, { config: { store: () => counting, quietHours: now } })
  const { says } = await rigOf(rig)
  expect(await says('/send tea')).toMatch(/^held/)
  expect(looks).toBeLessThan(10)
})

test('a server may have other hours or none, and direct messages are not held', async () => {
  await using rig = await ChatRig.start()
  const { id } = rig.service.world.servers['Workshop']!
  const { says } = await rigOf(rig)
  let cups = 0
  for (const [quietHours, reply] of [
    [{ ...now, servers: { [id.toUpperCase()]: false } }, /^sent/],
    [{ ...now, servers: { [id]: later } }, /^sent/],
    [{ servers: { [id]: now } }, /^held/],
    [later, /^sent/],
  ] as const) {
    await using _ = await rig.startBot(files, { config: { quietHours } })
    expect(await says(`/send tea ${++cups}`)).toMatch(reply)
  }
  const dm = `export default async (ctx) => {
    const { channel_id } = await ctx.api.users.dm({ user_id: ctx.user.id })
    const { held_until } = await ctx.send(channel_id, 'psst')
    return 'done ' + held_until
  }`
  await rig.startBot({ 'commands/dm.ts': dm }, { config: { quietHours: now } })
  expect(await says('/dm')).toBe('done undefined')
})

test('without quiet hours, messages that are still held are sent at the start, and later ones come after them', async () => {
  await using rig = await ChatRig.start()
  const store = new MemoryStore(systemClock)
  const first = await rig.startBot(files, { config: { store: () => store, quietHours: now } })
  const { hold, has } = await rigOf(rig)
  await hold('one')
  await hold('two')
  await first.stop()
  await rig.startBot(files, { config: { store: () => store, quietHours: {} } })
  await has('one', 'two')
  expect((await rig.texts()).slice(-2)).toEqual(['one', 'two'])
})

test('messages of a channel keep their order however its id is written', async () => {
  await using rig = await ChatRig.start()
  const store = new MemoryStore(systemClock)
  const shout = { 'commands/shout.ts': sendCode.replace('ctx.channel_id', 'ctx.channel_id.toUpperCase()') }
  await rig.startBot({ ...files, ...shout }, { config: { store: () => store, quietHours: now } })
  const { hold, says } = await rigOf(rig)
  expect(await says('/shout one')).toMatch(/^held/)
  await hold('two')
  const rows = (await store.list(heldPrefix)) as { value: { message: { channel_id: string } } }[]
  expect(rows.map(({ value }) => value.message.channel_id)).toEqual([rig.channel('general'), rig.channel('general')])
})

test('a message whose send was interrupted is reported, and not sent again', async () => {
  await using rig = await ChatRig.start()
  const store = new MemoryStore(systemClock)
  const message = { channel_id: rig.channel('general'), content: 'twice?' }
  const row = { state: 'sending', message, server_id: 'x', heldMs: Date.now() }
  await store.set(heldPrefix + newHeldId(Date.now()), row)
  await store.set(heldPrefix + newHeldId(Date.now()), {
    ...row,
    state: 'running',
    message: { ...message, content: 'once' },
  })
  await rig.startBot(files, { config: { store: () => store, quietHours: {} } })
  const { has } = await rigOf(rig)
  await has('once')
  expect(await rig.texts()).toEqual(['once'])
  expect(rig.logged('error')).toEqual([expect.stringContaining('the message may have arrived')])
})

test('a channel that asks to wait delays its own messages only, and a refused message is dropped with a log line', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const store = new MemoryStore(clock)
  const hold = (content: string, channel_id: string) =>
    store.set(heldPrefix + newHeldId(clock.now()), {
      ...{ state: 'waiting', message: { content, channel_id }, server_id: 'x', heldMs: clock.now() },
    })
  const general = rig.channel('general')
  await hold('slow', general)
  await hold('nowhere', '0194f3a0-1234-7abc-8def-0123456789ab')
  await hold('behind', general)
  await hold('other', rig.channel('random'))
  const slow = { then: { status: 429, headers: { 'retry-after': '3' } }, times: 1 }
  await rig.fault('POST', `/v1/channels/${general}/messages`, slow)
  await rig.startBot(files, { clock, config: { store: () => store, quietHours: {} } })
  await rig.until(async () => (await rig.texts('random')).includes('other'))
  await rig.until(() => rig.logged('error').some((line) => line.includes('could not be sent')))
  expect(rig.logged('error')).toEqual([expect.stringMatching(/^a held message to channel .* could not be sent: .*404/)])
  expect(await rig.texts()).toEqual([])
  await rig.until(async () => (await rig.texts()).length === 2)
  expect(await rig.texts()).toEqual(['slow', 'behind'])
})

test('one instance of a cluster sends each message, also those of an instance that is gone', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const cluster = new MemoryCluster(clock)
  const start = () => rig.startBot(files, { dispatcher: 'inline', cluster, clock, config: { quietHours: now } })
  const bots = [await start(), await start()]
  const { hold, has } = await rigOf(rig)
  const texts = ['a', 'b', 'c', 'd', 'e', 'f']
  for (const text of texts) await hold(text)
  await cluster.cutOff(cluster.members[0]!)
  clock.advance(3 * HOUR_MS)
  await has(...texts)
  const all = await rig.texts()
  expect(all.filter((text) => texts.includes(text))).toEqual(texts)
  for (const text of texts) expect(count(all, text)).toBe(1)
  for (const bot of bots) await bot.stop({ graceMs: 0 })
  cluster.close()
})

test('an instance does not send a message that another one has sent while it waited for the budget', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const cluster = new MemoryCluster(clock)
  const config = { quietHours: now, messageBudget: { requests: 6, seconds: 600 } }
  const bot = await rig.startBot(files, { dispatcher: 'inline', cluster, clock, config })
  const { says, hold } = await rigOf(rig)
  await hold('tea')
  clock.advance(1.9 * HOUR_MS)
  const random = rig.channel('random')
  for (let n = 0; n < 5; n++) await bot.call('messages.create', { channel_id: random, content: `${n}` })
  clock.advance(0.12 * HOUR_MS)
  await rig.until(() => bot.call.stats().waiting === 1)
  await cluster.cutOff(cluster.members[0]!, async () => {
    // The other instance has sent it.
    for (const { key } of await cluster.store.list(heldPrefix)) await cluster.store.delete(key)
  })
  clock.advance(HOUR_MS)
  await rig.until(() => bot.call.stats().waiting === 0)
  expect(await says('/send later')).toMatch(/^sent/)
  expect(await rig.texts()).not.toContain('tea')
  expect(rig.logged('error')).toEqual([])
  await bot.stop({ graceMs: 0 })
  cluster.close()
})

import { describe, expect, test } from 'vitest'
import { BotwrightError } from '@botwright/protocol/facts'
import { ServiceError } from '@botwright/rest'
import type { BotHost } from './host.ts'
import { click, deliver, id, message, start } from '../tests/loaded-bot.test.fixture.ts'

const channel_id = id(20)
const say = (text: string) => `export default (ctx) => ctx.reply('${text}')`
const texts = (calls: [string, Record<string, unknown>][]) => calls.map(([, { content }]) => content)

describe('routes', () => {
  test('a message goes to its command, else to events/message.ts', async () => {
    const t = await start({ 'commands/ping.ts': say('command'), 'events/message.ts': say('event') })
    for (const command of ['ping', 'pong', undefined, 5]) await t.bot.handle(message({ command }))
    expect(texts(t.calls)).toEqual(['command', 'event', 'event', 'event'])
    expect(t.outcomes.map(({ file, result, type }) => [file, result, type])).toEqual([
      ['commands/ping.ts', 'ok', 'message'],
      ['events/message.ts', 'ok', 'message'],
      ['events/message.ts', 'ok', 'message'],
      ['events/message.ts', 'ok', 'message'],
    ])
    expect(t.bot.handlerOf(message({ command: 'ping' }))).toBe('commands/ping.ts')
    expect(t.bot.handlerOf(deliver('member_join', {}))).toBeUndefined()
    expect(await t.bot.handle(deliver('member_join', {}))).toBeUndefined()
  })

  test('a type that this version does not know goes to events/unknown.ts, whatever its name', async () => {
    const t = await start({
      'events/unknown.ts': `export default (ctx) => ctx.send('${channel_id}', ctx.envelope.type)`,
      'events/ready.ts': say('ready'),
    })
    for (const type of ['server_dyed', 'ready', '__proto__', 'unknown']) await t.bot.handle(deliver(type, {}))
    expect(texts(t.calls)).toEqual(['server_dyed', 'ready', '__proto__', 'unknown'])
  })

  test('a click goes to its button, else to events/interaction.ts, else it is answered', async () => {
    const button =
      "import { button } from 'botwright'\nexport default button({ label: 'Yes', run: (ctx) => ctx.reply('button') })"
    const t = await start({ 'buttons/yes.ts': button, 'events/interaction.ts': say('event') })
    for (const custom_id of ['yes', 'no']) await t.bot.handle(click(custom_id))
    await t.bot.handle(deliver('interaction', { ...click('x').event.data, custom_id: 5 }))
    expect(t.logged).toEqual([])
    expect(texts(t.calls)).toEqual(['button', 'event', 'event'])
    const bare = await start({ 'commands/ping.ts': say('x') })
    await bare.bot.handle(click('yes'))
    await bare.bot.handle(deliver('interaction', { ...click('x').event.data, custom_id: undefined }))
    expect(bare.calls).toMatchObject([0, 1].map(() => ['interactions.callback', { type: 'ephemeral' }]))
    const refused = { file: undefined, type: 'interaction', result: 'refused', reason: 'no file handles this button' }
    expect(bare.outcomes).toMatchObject([refused, refused])
  })
})

describe('events of bots', () => {
  const files = { 'commands/ping.ts': say('command'), 'events/message.ts': say('event') }
  const handled = async (data: Record<string, unknown>, host: Partial<BotHost> = {}) => {
    const t = await start(files, {}, host)
    await t.bot.handle(message(data))
    return texts(t.calls)
  }

  test('the bot ignores its own messages and reactions', async () => {
    expect(await handled({ author_id: id(1), author_bot: true })).toEqual([])
    expect(await handled({ author_id: id(1), author_bot: false })).toEqual(['event'])
    const t = await start({ 'events/reaction_add.ts': say('added'), 'events/reaction_remove.ts': say('removed') })
    for (const type of ['reaction_add', 'reaction_remove'])
      for (const user_id of [id(1), id(2)]) await t.bot.handle(deliver(type, { channel_id, user_id }))
    expect(texts(t.calls)).toEqual(['added', 'removed'])
  })

  test('other bots start commands, and reach events/message.ts, only if the bot answers bots', async () => {
    const other = { author_id: id(2), author_bot: true }
    expect(await handled(other)).toEqual([])
    expect(await handled({ ...other, command: 'ping' })).toEqual([])
    expect(await handled(other, { answerBots: true })).toEqual(['event'])
    expect(await handled({ ...other, command: 'ping' }, { answerBots: true })).toEqual(['command'])
  })

  test('two bots that answer each other stop', async () => {
    const t = await start(files, {}, { answerBots: true })
    const other = { author_id: id(2), author_bot: true, command: 'ping' }
    for (let n = 0; n < 50; n++) await t.bot.handle(message(other))
    const answered = t.calls.length
    expect(answered).toBeGreaterThan(0)
    expect(answered).toBeLessThan(50)
    await t.bot.handle(message({ ...other, author_id: id(3) }))
    expect(t.calls).toHaveLength(answered + 1)
  })
})

describe('answers to an event', () => {
  test('reply refers to the message; update edits the last reply', async () => {
    const t = await start({
      'commands/a.ts': `export default async (ctx) => {
        await ctx.reply('one')
        await ctx.update('two')
        await ctx.reply({ content: 'three' })
        await ctx.update({ content: 'four', embeds: null })
      }`,
    })
    await t.bot.handle(message({ command: 'a' }))
    expect(t.calls).toEqual([
      ['messages.create', { channel_id, reply_to: id(10), content: 'one' }],
      ['messages.update', { channel_id, message_id: id(501), content: 'two' }],
      ['messages.create', { channel_id, reply_to: id(10), content: 'three' }],
      ['messages.update', { channel_id, message_id: id(503), content: 'four', embeds: null }],
    ])
  })

  test('update without a reply sends one, without the parts to remove', async () => {
    const update = (body: string) => ({ 'commands/a.ts': `export default (ctx) => ctx.update(${body})` })
    for (const [body, sent] of [
      ["{ content: 'x', embeds: null, components: null }", { content: 'x' }],
      ['{ embeds: [], components: [] }', { embeds: [], components: [] }],
      ["'x'", { content: 'x' }],
    ] as const) {
      const t = await start(update(body))
      await t.bot.handle(message({ command: 'a' }))
      expect(t.calls).toEqual([['messages.create', { channel_id, reply_to: id(10), ...sent }]])
    }
  })

  test('update after a failed reply sends another one', async () => {
    let calls = 0
    const call = (async () => {
      if (++calls === 1) throw new Error('no answer')
      return { id: id(500), channel_id }
    }) as unknown as BotHost['call']
    const t = await start(
      {
        'commands/a.ts':
          "export default async (ctx) => { await ctx.reply('a').catch(() => {}); await ctx.update('b') }",
      },
      {},
      { call },
    )
    await t.bot.handle(message({ command: 'a' }))
    expect([calls, t.outcomes[0]?.result]).toEqual([2, 'ok'])
  })

  test('a reply to a message that is gone is sent without the reference', async () => {
    const sent: Record<string, unknown>[] = []
    const fails = (error: Error): BotHost['call'] =>
      (async (_: string, input: Record<string, unknown>) => {
        sent.push(input)
        if ('reply_to' in input) throw error
        return { id: id(500), channel_id }
      }) as unknown as BotHost['call']
    const refused = (status: number, text: string) =>
      new ServiceError('ERR_REFUSED', text, { status, endpoint: 'messages.create' })
    const files = { 'commands/a.ts': say('x') }
    const gone = await start(files, {}, { call: fails(refused(400, 'no such Reply')) })
    await gone.bot.handle(message({ command: 'a' }))
    expect(sent).toEqual([
      { channel_id, reply_to: id(10), content: 'x' },
      { channel_id, content: 'x' },
    ])
    for (const error of [refused(400, 'bad content'), refused(403, 'no reply'), new Error('no reply')]) {
      sent.length = 0
      const t = await start(files, {}, { call: fails(error) })
      await t.bot.handle(message({ command: 'a' }))
      expect(sent.filter((one) => one['content'] === 'x')).toHaveLength(1)
      expect(t.outcomes[0]?.result).toBe('error')
    }
  })

  test('an ephemeral message goes to a direct message, or stays in one', async () => {
    const files = {
      'commands/a.ts': "export default async (ctx) => { await ctx.ephemeral('a'); await ctx.ephemeral('b') }",
    }
    const t = await start(files)
    await t.bot.handle(message({ command: 'a' }))
    expect(t.calls).toEqual([
      ['users.dm', { user_id: id(40) }],
      ['messages.create', { channel_id: id(99), content: 'a' }],
      ['messages.create', { channel_id: id(99), content: 'b' }],
    ])
    const direct = await start(files)
    await direct.bot.handle(message({ command: 'a', server_id: null }))
    expect(direct.calls).toEqual(['a', 'b'].map((content) => ['messages.create', { channel_id, content }]))
  })

  test('an event without a channel or a user cannot be answered', async () => {
    const t = await start({
      'events/member_join.ts': say('x'),
      'events/voice_join.ts': "export default (ctx) => ctx.ephemeral('x')",
      'events/test.ts': "export default (ctx) => ctx.react('x')",
    })
    for (const type of ['member_join', 'voice_join', 'test']) await t.bot.handle(deliver(type, {}))
    expect(t.calls).toEqual([])
    expect(t.outcomes.map(({ error }) => error?.message)).toEqual([
      '"member_join" has no channel: use ctx.send(channel_id, message)',
      '"voice_join" has no user: use ctx.send(channel_id, message)',
      '"test" has no message: react with ctx.api.reactions.add(…)',
    ])
  })

  test('a reaction is on the message of the event', async () => {
    const react = "export default (ctx) => ctx.react('👍')"
    const t = await start({ 'commands/a.ts': react, 'events/reaction_add.ts': react })
    await t.bot.handle(message({ command: 'a' }))
    await t.bot.handle(deliver('reaction_add', { channel_id, message_id: id(7), user_id: id(2) }))
    expect(t.calls).toEqual([
      ['reactions.add', { channel_id, message_id: id(10), emoji: '👍' }],
      ['reactions.add', { channel_id, message_id: id(7), emoji: '👍' }],
    ])
  })
})

test('the context has the facts of its message, whatever their form', async () => {
  const read = `export default (ctx) => ctx.send('${channel_id}', JSON.stringify([
    ctx.kind, ctx.channel_id, ctx.server_id, ctx.author, ctx.user, ctx.content, ctx.redelivered, ctx.event.author, ctx.event.args,
    ctx.isCommand(), ctx.isClick(), ctx.command, ctx.typed, ctx.prefix, ctx.answersLeft, ctx.deadline]))`
  const t = await start({ 'commands/a.ts': read, 'events/message.ts': read })
  await t.bot.handle(message({ command: 'a', content: '!a b c', args: ['b', 'c'], author: { username: 'ann' } }))
  await t.bot.handle(message({ content: 5, author: undefined, server_id: null, author_id: 5 }))
  const ann = { id: id(40), name: 'ann', bot: false }
  expect(texts(t.calls).map((content) => JSON.parse(String(content)) as unknown)).toEqual([
    ['command', channel_id, id(30), ann, ann, '!a b c', false, 'ann', 'b c', true, false, 'a', 'b c', '!', null, null],
    [
      ...['event', channel_id, null, { id: '', name: '', bot: false }, { id: '', name: '', bot: false }, '', false, ''],
      ...[null, false, false, null, null, null, null, null],
    ],
  ])
})

describe('failures', () => {
  test('are logged with their file, reported, and answered with an apology', async () => {
    const t = await start({ 'commands/a.ts': "export default () => { throw new Error('on purpose') }" })
    await t.bot.handle(message({ command: 'a' }))
    expect(t.outcomes).toMatchObject([{ file: 'commands/a.ts', result: 'error', error: { message: 'on purpose' } }])
    expect(t.logged).toEqual([expect.stringContaining('commands/a.ts')])
    expect(t.calls).toHaveLength(1)
  })

  test('because of the bot token set the event aside', async () => {
    const given: unknown[] = []
    const call = (() => {
      throw new BotwrightError('ERR_UNAUTHORIZED', 'no')
    }) as unknown as BotHost['call']
    const giveUp: BotHost['giveUp'] = ({ type }, reason, file) => void given.push([type, reason, file])
    const t = await start(
      { 'commands/a.ts': say('x'), 'commands/b.ts': 'export default () => { throw new Error("x") }' },
      {},
      { call, giveUp },
    )
    await t.bot.handle(message({ command: 'b' }))
    expect(given).toEqual([])
    await t.bot.handle(message({ command: 'a' }))
    expect(given).toEqual([['message', 'the service refused the bot token (401) while it ran', 'commands/a.ts']])
  })

  test('an apology goes to the user of an event that a file handles', async () => {
    const t = await start({ 'commands/a.ts': say('x') })
    await t.bot.apologize(message({ command: 'a' }), 'took_too_long')
    expect(t.calls).toMatchObject([['messages.create', { channel_id, reply_to: id(10) }]])
    await t.bot.apologize(message({}), 'failed')
    expect(t.calls).toHaveLength(1)
  })

  test('of clicks that accept no answer become three messages a minute at most', async () => {
    const posted: string[] = []
    const call = (async (name: string) => {
      if (name === 'interactions.callback') throw new BotwrightError('ERR_INTERACTION_UNKNOWN', 'unknown')
      posted.push(name)
      return {}
    }) as unknown as BotHost['call']
    const t = await start({ 'buttons/a.ts': 'export default () => { throw new Error("x") }' }, {}, { call })
    for (let n = 0; n < 5; n++) await t.bot.handle(click('a'))
    expect(posted).toEqual(['messages.create', 'messages.create', 'messages.create'])
  })

  test('of a lifecycle file are logged', async () => {
    const t = await start({
      'events/ready.ts': "export default (ctx) => ctx.send('" + channel_id + "', 'ready').then(() => 'an answer')",
      'events/shutdown.ts': "export default () => { throw new Error('on purpose') }",
    })
    await t.bot.lifecycle('ready')
    expect(texts(t.calls)).toEqual(['ready'])
    await t.bot.lifecycle('shutdown')
    expect(t.logged).toEqual([
      'events/ready.ts: run returned an answer, but ready has no channel to answer in: use ctx.send(channel_id, message)',
      'events/shutdown.ts: on purpose',
    ])
  })
})

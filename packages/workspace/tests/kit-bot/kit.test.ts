import { HandlerError, startTestBot, type TestBotOptions } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test, vi } from 'vitest'

const start = (options?: TestBotOptions) => startTestBot(new URL('.', import.meta.url), options)

test('answers a command, and clicks a button by its label, its emoji or both', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const asked = await ann.says('/vote')
  expect(asked).toHaveReplied('Tea or coffee?')
  const tea = await ann.clicks('Tea')
  expect(tea).toHaveUpdated('Tea or coffee? ann takes tea.')
  expect(tea.click).toBe('answered')
  expect(tea.messages.map(({ ephemeral, content }) => [ephemeral, content])).toEqual([
    [false, 'Tea or coffee? ann takes tea.'],
    [true, 'Thank you.'],
  ])
  expect(await chat.person('bob').clicks('🍵', asked)).toHaveUpdated(/bob takes tea/)
  expect(await ann.clicks('🍵 Tea', asked)).toHaveUpdated(/ann takes tea/)
  await expect(ann.clicks('Milk')).rejects.toThrow(
    'ann sees no button [Milk] in #general; available: [🍵 Tea] [Coffee]',
  )
})

test('detects at once that a bot does not answer', async () => {
  await using chat = await start()
  const answer = await chat.person('ann').says('good morning')
  expect(answer).not.toHaveReplied()
  expect(() => answer.content).toThrow('ann said "good morning", and the bot did nothing')
})

test('warns once about a message in a channel that the bot cannot see, with the fix for the world', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  try {
    await using chat = await start()
    const ann = chat.person('ann').in('staff')
    const why =
      "the bot does not see #staff, which is private: add it in the world, as in members: ['bot'] of that channel, or through a role that the bot and the channel share"
    const answer = await ann.says('/vote')
    expect(warn.mock.calls).toEqual([[`ann wrote where the bot cannot respond: ${why}`]])
    expect(() => expect(answer).toHaveReplied('Tea or coffee?')).toThrow(
      `expected the bot to reply "Tea or coffee?"; ann said "/vote", and the bot did nothing: ${why}`,
    )
    expect(() => answer.content).toThrow(why)
    await ann.posts('and again')
    expect(warn).toHaveBeenCalledTimes(1)
    await chat.person('ann').says('good morning')
    expect(warn).toHaveBeenCalledTimes(1)
  } finally {
    warn.mockRestore()
  }
})

test('names a server that the bot is not in', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  try {
    const own = { owner: 'ann', channels: [{ name: 'general' }] }
    const servers = [
      { ...own, name: 'Workshop', bots: ['kit'] },
      { ...own, name: 'Attic', channels: [{ name: 'dust' }] },
    ]
    const bots = [{ username: 'kit', owner: 'ann' }]
    await using chat = await start({ world: { people: [{ username: 'ann' }], bots, servers } })
    const answer = await chat.person('ann').in('dust').says('/vote')
    const why = `the bot is not in the server "Attic": add it in the world, as in bots: ['kit']`
    expect(() => answer.first).toThrow(why)
    expect(warn).toHaveBeenCalledWith(`ann wrote where the bot cannot respond: ${why}`)
  } finally {
    warn.mockRestore()
  }
})

test('the bot of a world may have a name with decomposed letters', async () => {
  const bots = [{ username: 'José'.normalize('NFD'), owner: 'ann' }]
  const servers = [{ name: 'Workshop', owner: 'ann', bots: ['José'], channels: [{ name: 'general' }] }]
  await using chat = await start({ world: { people: [{ username: 'ann' }], bots, servers } })
  expect(await chat.person('ann').says('/vote')).toHaveReplied('Tea or coffee?')
})

test('a failed assertion names a command that the bot does not have', async () => {
  await using chat = await start()
  const answer = await chat.person('ann').says('/voet tea')
  expect(() => expect(answer).toHaveReplied()).toThrow(
    'ann said "/voet tea", and the bot did nothing: the bot has no command /voet; did you mean /vote?',
  )
  expect(answer).not.toHaveReplied()
})

test('does not report the deletion of a message by a person as one by the bot', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await ann.says('hello')
  const [own] = await ann.sees()
  const answer = await ann.deletes(own!)
  expect(answer.deleted).toEqual([])
  expect(answer.told).toBe('the bot did nothing')
})

test('observes reactions, deletions, edits and replies', async () => {
  const people = [{ username: 'ann' }]
  const roles = [{ name: 'cleaners', permissions: ['manage_messages' as const], members: ['bot'] }]
  const servers = [{ name: 'Workshop', owner: 'ann', roles, channels: [{ name: 'general' }] }]
  await using chat = await start({ world: { people, servers } })
  const ann = chat.person('ann')
  expect(await ann.says('thanks a lot')).toHaveReacted('👍')
  const shouted = await ann.says('AAAAAA')
  expect(shouted.deleted).toHaveLength(1)
  await ann.says('/vote')
  expect(await ann.reacts('❓')).toHaveReplied('What is unclear?')
  expect(await ann.unreacts('❓')).not.toHaveReplied()
  const mine = await ann.posts('hello')
  expect((await ann.replies(mine, 'thank me')).reactions).toHaveLength(1)
  await ann.edits(mine, 'hello again')
  await ann.deletes((await ann.sees()).at(-1)!)
  expect((await ann.sees()).map(({ content }) => content).slice(-2)).toEqual(['What is unclear?', 'hello again'])
})

test('sends direct messages in both directions', async () => {
  await using chat = await start()
  const bob = chat.person('bob')
  const whispered = await bob.in('random').says('/whisper')
  expect(whispered).toHaveReplied('Psst.')
  expect(whispered.first.server_id).toBeNull()
  // The same text within 10 seconds would be refused (decisions row 24).
  await chat.clock.advance({ seconds: 11 })
  expect(await bob.dm().says('/whisper')).toHaveReplied('Psst.')
  expect((await bob.dm().sees()).map(({ content }) => content)).toEqual(['Psst.', '/whisper', 'Psst.'])
  expect(await chat.person('ann').dm().sees()).toEqual([])
})

test('lets new people join, enter voice channels and leave', async () => {
  await using chat = await start()
  const zoe = chat.person('zoe')
  expect(await zoe.joins()).toHaveReplied(`Hello, <@${await zoe.known()}>!`)
  expect(zoe.id).toBe(await zoe.known())
  expect(() => chat.person('yan').id).toThrow('yan is not in the world: await yan.known()')
  expect(await zoe.in('Lounge').joinsVoice()).toHaveReplied('Somebody sits in the lounge.')
  await zoe.in('Lounge').leavesVoice()
  await zoe.leaves()
  expect(await chat.member('zoe')).toBeUndefined()
  expect(await chat.person('yan').says('/whisper')).toHaveReplied('Psst.')
})

test('an action throws the error of its handler, with file and line', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const error: unknown = await ann.says('/boom').catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(HandlerError)
  expect(error).toMatchObject({ message: 'commands/boom.ts:6: no fuel', file: 'commands/boom.ts', code: 'ERR_HANDLER' })
  expect((error as Error).stack).toMatch(/HandlerError: .*\n\s+at .*commands\/boom\.ts:6/)
  await ann.posts('/boom')
  expect(await ann.says('/vote')).toHaveReplied()
  await expect(chat.settled()).rejects.toThrow('no fuel')
  await chat.settled()
})

test('an error inside ctx.once names the line of the call', async () => {
  await using chat = await start()
  await chat.faults({ endpoint: 'messages.create', status: 503 })
  await expect(chat.person('ann').says('/announce')).rejects.toMatchObject({ at: 'commands/announce.ts:6' })
  expect(await chat.person('ann').says('/announce')).toHaveReplied('Fresh bread!')
})

test('an action throws the error that its handler throws after an answer', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  expect(await ann.says('/bake')).toHaveReplied('When?')
  expect(await chat.person('bob').says('/vote')).toHaveReplied()
  await expect(ann.says('now')).rejects.toThrow('commands/bake.ts:7: no dough')
  await chat.settled()
})

test('a click without an answer is acknowledged after two seconds of the clock', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await ann.says('/silent')
  const click = await ann.watches(async () => {
    expect((await ann.clicks('Nothing')).click).toBe('waiting')
    await chat.clock.advance({ seconds: 2 })
  })
  expect(click).not.toHaveReplied()
  expect((await chat.calls()).at(-1)).toMatchObject({ body: { type: 'ack' }, status: 200 })
})

test('a restart resets variables of modules, and two bots share nothing', async () => {
  await using first = await start()
  await using second = await start()
  const counts = async (chat: typeof first) => (await chat.person('ann').says('/count')).content
  expect([await counts(first), await counts(first), await counts(second)]).toEqual([
    'Counted 1 for nobody',
    'Counted 2 for nobody',
    'Counted 1 for nobody',
  ])
  await first.restartBot()
  expect(await counts(first)).toBe('Counted 1 for nobody')
})

test('a bot that was down for hours receives the messages of that time, and log lines show the time of the clock', async () => {
  await using chat = await start({ now: '2026-03-01T08:00:00Z' })
  const ann = chat.person('ann')
  const back = await ann.watches(() => chat.restartBot({ after: '2h', meanwhile: () => ann.posts('/vote') }))
  expect(back).toHaveReplied('Tea or coffee?')
  expect(back.first.created_at).toMatch(/^2026-03-01T10:00:00/)
  expect(chat.log.at(-1)?.time).toMatch(/^2026-03-01T10:00:00/)
  await expect(chat.restartBot({ after: '2 moons' as never })).rejects.toThrow('must be a duration such as 10s')
  expect(await ann.says('hello')).not.toHaveReplied()
})

test('sets environment variables while the bot runs', async () => {
  {
    await using chat = await start({ env: { KIT_BOT_OWNER: 'ann' } })
    expect(await chat.person('ann').says('/count')).toHaveReplied('Counted 1 for ann')
    await expect(start({ env: { KIT_BOT_OWNER: 'bob' } })).rejects.toThrow('KIT_BOT_OWNER: another bot')
  }
  expect(process.env['KIT_BOT_OWNER']).toBeUndefined()
})

test('simulates failed and delayed responses', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await chat.faults({ endpoint: 'messages.create', status: 400, body: { error: 'out of order' } })
  await expect(ann.says('/vote')).rejects.toThrow(/out of order/)
  expect(await ann.says('/vote')).toHaveReplied()
  await chat.faults({ endpoint: 'reactions.add', latency: { seconds: 5 } })
  const late = ann.says('thanks')
  await chat.clock.advance({ seconds: 5 })
  expect(await late).toHaveReacted('👍')
  await chat.faults({ endpoint: 'reactions.add', then: 'close' })
  await expect(ann.says('thanks').then(() => chat.clock.advance({ seconds: 30 }))).resolves.toBeUndefined()
  expect((await ann.sees()).at(-1)?.reactions).toMatchObject([{ emoji: '👍' }])
  await expect(chat.faults({ endpoint: 'messages.create' })).rejects.toThrow(
    'faults: pass only one of status, latency and then',
  )
})

test('uses a custom world with roles, people with roles and a start time', async () => {
  await using chat = await start({
    now: '2026-03-01T08:00:00Z',
    world: {
      people: [{ username: 'eve' }, { username: 'max' }],
      servers: [
        {
          name: 'Lab',
          owner: 'eve',
          members: ['max'],
          roles: [{ name: 'mods', permissions: ['timeout_members'], members: ['max', 'bot'] }],
          channels: [{ name: 'bench' }],
        },
      ],
    },
  })
  const said = await chat.person('max').says('/vote')
  expect(said.first.created_at).toMatch(/^2026-03-01T08:00:00/)
  expect(await chat.member('max')).toMatchObject({ roles: ['mods'], timeout_until: null })
  expect(await chat.member(chat.bot.username)).toMatchObject({ roles: ['mods'] })
  expect(Object.keys(chat.world.servers)).toEqual(['Lab'])
})

test('runs handlers in threads on request', async () => {
  await using chat = await start({ workers: true })
  const ann = chat.person('ann')
  expect(await ann.says('/vote')).toHaveReplied('Tea or coffee?')
  expect(await ann.says('hello')).not.toHaveReplied()
  await expect(ann.says('/boom')).rejects.toThrow('commands/boom.ts:6: no fuel')
})

test('advances the clock by weeks', async () => {
  await using chat = await start()
  const before = chat.clock.now()
  await chat.clock.advance({ days: 20, hours: 2, minutes: 30 })
  expect(chat.clock.now() - before).toBe((20 * 24 + 2.5) * 3_600_000)
  expect(await chat.person('ann').says('/vote')).toHaveReplied()
  await chat.clock.advance('1d')
  expect(chat.clock.now() - before).toBe((21 * 24 + 2.5) * 3_600_000)
  await expect(chat.clock.advance({ fortnights: 1 } as never)).rejects.toThrow(
    'clock: "fortnights: 1" is not in the future',
  )
})

test('channels are also found by their name with its sign', async () => {
  await using chat = await start()
  expect(await chat.person('ann').in('#random').says('/vote')).toHaveReplied('Tea or coffee?')
})

test('names that every object has are names like others', async () => {
  await using chat = await start()
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    const person = chat.person(name)
    expect(await person.says('/vote'), name).toHaveReplied('Tea or coffee?')
    expect(person.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(chat.world.people[name]).toBeUndefined()
    expect(chat.world.servers['Workshop']!.channels[name]).toBeUndefined()
    await expect(chat.person('ann').in(name).says('/vote')).rejects.toThrow(`ann sees no channel #${name}`)
    await expect(chat.person('ann').joins(name)).rejects.toThrow(`there is no server "${name}"`)
  }
})

test('the clock refuses a time that names no unit, or an unknown one', async () => {
  await using chat = await start()
  const before = chat.clock.now()
  for (const span of [{}, [], null, { constructor: 1 }, { minute: 1 }, { minutes: -1 }, { minutes: Number.NaN }]) {
    await expect(chat.clock.advance(span as never), JSON.stringify(span)).rejects.toMatchObject({
      code: 'ERR_INVALID_REQUEST',
    })
  }
  await expect(chat.clock.advance({})).rejects.toThrow(
    'clock: the time names no unit; write { minutes: 16 }, with one or more of ms, seconds, minutes, hours, days',
  )
  expect(chat.clock.now()).toBe(before)
})

test('a command is off until the test switches it on', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await chat.off('/vote', { reason: 'back at noon' })
  expect(await ann.says('/vote')).toHaveReplied('This command is switched off for now: back at noon')
  await chat.on('/vote')
  expect(await ann.says('/vote')).toHaveReplied('Tea or coffee?')
})

test.each([false, true])('switches are read at once, also in one server (workers: %s)', async (workers) => {
  await using chat = await start({ workers })
  const ann = chat.person('ann')
  const [server] = Object.keys(chat.world.servers)
  await chat.off('commands/vote.ts', { server: server! })
  expect(await ann.says('/vote')).toHaveReplied('This command is switched off for now.')
  await chat.restartBot()
  expect(await ann.says('/vote')).toHaveReplied('This command is switched off for now.')
  await chat.on('/vote', { server: server! })
  expect(await ann.says('/vote')).toHaveReplied('Tea or coffee?')
  await expect(chat.off('/vot')).rejects.toThrow('did you mean /vote?')
  await expect(chat.on('/vote')).rejects.toThrow('/vote is not off')
  await expect(chat.off('/vote', { server: 'Moon' })).rejects.toThrow('the world has no server "Moon"; it has: ')
})

import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { click, deliver, id, message, start } from '../../tests/loaded-bot.test.fixture.ts'
import { discover } from '../../author/files/manifest.ts'

test('replies with the return value of a command, and keeps synchronous handlers synchronous', async () => {
  const { bot, calls } = await start({
    'commands/ping.ts': `export const description = 'Pong'\nexport default () => 'pong'`,
    'commands/quiet.ts': `export default () => {}`,
  })
  expect(bot.commands()).toEqual([
    { name: 'help', description: 'Shows what this bot can do' },
    { name: 'ping', description: 'Pong' },
    { name: 'quiet', description: 'Quiet' },
  ])
  expect(bot.handle(message({ command: 'quiet', args: '' }))).toBeUndefined()
  await bot.handle(message({ command: 'ping', args: null }))
  expect(calls).toEqual([['messages.create', { channel_id: id(20), reply_to: id(10), content: 'pong' }]])
})

test('does not send a returned message of ctx.reply again', async () => {
  const { bot, calls } = await start({ 'commands/ping.ts': `export default (ctx) => ctx.reply('pong')` })
  await bot.handle(message({ command: 'ping' }))
  expect(calls).toHaveLength(1)
})

const poll = `import { command, text, integer, list, boolean } from 'botwright'
export default command({ description: 'Poll', args: { question: text(), minutes: integer({ min: 1, max: 60 }).default(10), secret: boolean() },
  run: (ctx) => JSON.stringify(ctx.args) })`

test('parses args with quotes, flags and defaults, and replies to invalid args with the usage', async () => {
  const { bot, calls, outcomes } = await start({ 'commands/poll.ts': poll })
  await bot.handle(message({ command: 'poll', args: '"which one" --secret 5' }))
  await bot.handle(message({ command: 'poll', args: 'a 99', content: '!poll a 99' }))
  expect(calls.map(([, input]) => input['content'])).toEqual([
    '{"question":"which one","minutes":5,"secret":true}',
    'minutes must be a whole number from 1 to 60\nUsage: !poll <question> [minutes=10] [--secret]\nExample: !poll "some words" 5',
  ])
  expect(outcomes.map((one) => one.result)).toEqual(['ok', 'refused'])
  expect(outcomes[1]!.reason).toMatch(/^minutes must be a whole number/)
})

const vote = `import { button, uuid, oneOf } from 'botwright'
export default button({ params: { poll: uuid(), choice: oneOf('yes', 'no') }, run: (ctx) => ctx.update(ctx.params.poll + ctx.params.choice) })`
const ask = `import { command, row } from 'botwright'
import vote from '../buttons/vote.ts'
export default command({ description: 'Asks', run: (ctx) => ctx.reply({ content: '?', components: [row(vote.button({ poll: '${id(7)}', choice: 'no' }, { label: 'No' }))] }) })`

test('a button passes its params through its custom_id, even if its file is loaded lazily', async () => {
  const files = { 'commands/ask.ts': ask, 'buttons/vote.ts': vote }
  const definitions = discover(Object.keys(files)).entries
  const { bot, calls } = await start(files, { definitions })
  await bot.handle(message({ command: 'ask' }))
  const [[, posted]] = calls as [[string, { components: { components: { custom_id: string }[] }[] }]]
  const customId = posted.components[0]?.components[0]?.custom_id ?? ''
  expect(customId).toMatch(/^vote\.[\w-]{4}\.[\w-]{23}$/)
  await bot.handle(click(customId))
  expect(calls[1]).toEqual([
    'interactions.callback',
    { interaction_id: id(50), token: 't', type: 'update', content: `${id(7)}no` },
  ])
  for (const old of ['vote.AAAA.xx', 'vote', 'vote.', 'gone', 'gone:1']) await bot.handle(click(old))
  expect(calls.slice(2).map(([, { type, content }]) => `${String(type)} ${String(content)}`)).toEqual(
    Array.from({ length: 5 }, () => 'ephemeral This button is outdated.'),
  )
})

test('`outdated` can depend on the user who clicks; an empty text only acknowledges the click', async () => {
  const outdated = (text: string) =>
    `import { button, uuid } from 'botwright'\nexport default button({ params: { a: uuid() }, outdated: ${text}, run() {} })`
  const { bot, calls } = await start({
    'buttons/known.ts': outdated("async (ctx) => 'Too late, ' + ctx.user.name"),
    'buttons/mute.ts': outdated("''"),
  })
  for (const old of ['known.AAAA.x', 'mute.AAAA.x']) await bot.handle(click(old))
  expect(calls.map(([, { type, content }]) => [type, content])).toEqual([
    ['ephemeral', 'Too late, ann'],
    ['ack', undefined],
  ])
})

test('a button without params accepts handwritten custom_ids', async () => {
  const { bot, calls } = await start({ 'buttons/stop.ts': `export default (ctx) => 'stop ' + ctx.params` })
  await bot.handle(click('stop'))
  await bot.handle(click('stop:now:then'))
  expect(calls.map(([, input]) => input['content'])).toEqual(['stop ', 'stop now:then'])
})

test('logs the error of a handler with its line, and sends the user a reference', async () => {
  const broken = `export default () => {\n  throw new Error('boom')\n}`
  const { bot, calls, logged, outcomes } = await start({
    'commands/bad.ts': broken,
    'buttons/bad.ts': broken,
    'events/message.ts': broken,
  })
  await bot.handle(message({ command: 'bad' }))
  await bot.handle(click('bad'))
  await bot.handle(message({ content: 'hello' }))
  expect(logged[0]).toMatch(/^commands\/bad\.ts:2: boom$/)
  expect(calls[0]?.[1]['content']).toMatch(/^Something went wrong \(ref [0-9a-z]{4}\)\.$/)
  expect(calls[1]?.[1]['type']).toBe('ephemeral')
  expect(calls).toHaveLength(2)
  expect(outcomes.map((one) => one.result)).toEqual(['error', 'error', 'error'])
})

test('runs the longest matching command; a folder without a command replies with its subcommands', async () => {
  const { bot, calls } = await start({
    'commands/role.ts': `export default (ctx) => 'role ' + ctx.typed`,
    'commands/role/add.ts': `export default (ctx) => 'add ' + ctx.typed`,
    'commands/list/all.ts': `export default () => 'all'`,
  })
  expect(bot.commands().map((one) => one.name)).toEqual(['help', 'list', 'role'])
  await bot.handle(message({ command: 'role', args: 'add  @ann' }))
  await bot.handle(message({ command: 'role', args: 'ad' }))
  await bot.handle(message({ command: 'list', args: 'none' }))
  expect(calls.map(([, input]) => input['content'])).toEqual([
    'add @ann',
    'role ad',
    'there is no such subcommand\nUsage: /list all',
  ])
})

test('middleware wraps the handlers of its folder, parent folders first, and can stop them', async () => {
  const say = (name: string) =>
    `export default async (ctx, next) => { ctx.order = (ctx.order ?? '') + '${name}'; await next() }`
  const { bot, calls } = await start({
    'middleware.ts': say('root '),
    'commands/middleware.ts': say('commands '),
    'commands/(admin)/middleware.ts': `export default (ctx, next) => ctx.server_id ? next() : 'Only in servers'`,
    'commands/(admin)/ban.ts': `export default (ctx) => ctx.order + 'ban'`,
    'buttons/a.ts': `export default (ctx) => ctx.order + 'click'`,
  })
  await bot.handle(message({ command: 'ban' }))
  await bot.handle(message({ command: 'ban', server_id: null }))
  await bot.handle(click('a'))
  expect(calls.map(([, input]) => input['content'])).toEqual(['root commands ban', 'Only in servers', 'root click'])
})

test('messages of other bots run commands only with answerBots', async () => {
  const files = { 'commands/ping.ts': `export default () => 'pong'`, 'events/message.ts': `export default () => {}` }
  const shy = await start(files)
  expect(shy.bot.handlerOf(message({ command: 'ping', author_bot: true }))).toBeUndefined()
  expect(shy.bot.handlerOf(message({ command: 'ping' }))).toBe('commands/ping.ts')
  const open = await start(files, {}, { answerBots: true })
  expect(open.bot.handlerOf(message({ command: 'ping', author_bot: true }))).toBe('commands/ping.ts')
})

test('on a message, update edits the last reply, and ephemeral sends to the author only', async () => {
  const { bot, calls } = await start({
    'commands/a.ts': `export default async (ctx) => { await ctx.update('one'); await ctx.update('two'); await ctx.ephemeral('psst'); await ctx.react('👍') }`,
  })
  await bot.handle(message({ command: 'a' }))
  expect(calls.map(([name]) => name)).toEqual([
    'messages.create',
    'messages.update',
    'users.dm',
    'messages.create',
    'reactions.add',
  ])
  expect(calls[3]?.[1]).toEqual({ channel_id: id(99), content: 'psst' })
})

test('a reply to a join, which has no channel, fails with the fix', async () => {
  const { bot, logged, calls } = await start({
    'events/member_join.ts': `import { event } from 'botwright'\nexport default event('member_join', (ctx) => 'hi ' + ctx.user.name)`,
    'events/ready.ts': `export default () => { throw new Error('not ready') }`,
  })
  await bot.handle(deliver('member_join', { channel_id: null, server_id: id(30), user_id: id(40), username: 'ann' }))
  await bot.lifecycle('ready')
  await bot.lifecycle('shutdown')
  expect(calls).toEqual([])
  expect(logged[0]).toContain('"member_join" has no channel: use ctx.send(channel_id, message)')
  expect(logged[1]).toBe('events/ready.ts: not ready')
})

test('one error names all invalid files with their fixes', async () => {
  const wrong = start({
    'commands/none.ts': `export const a = 1`,
    'commands/odd.ts': `import { button } from 'botwright'\nexport default button({ run: () => {} })`,
    'events/test.ts': `import { event } from 'botwright'\nexport default event('message', () => {})`,
    'events/ready.ts': `import { event } from 'botwright'\nexport default event('messages', () => {})`,
    'commands/alias.ts': `import { command } from 'botwright'\nexport default command({ description: '', aliases: ['Alias'], run() {} })`,
    'commands/args.ts': `import { command, text, rest } from 'botwright'\nexport default command({ description: '', args: { a: rest(), b: text() }, run() {} })`,
    'commands/throws.ts': `throw new Error('at load')`,
  })
  await expect(wrong).rejects.toMatchObject({
    code: 'ERR_DEFINITION',
    message: [
      'commands/alias.ts: the alias "Alias" is the command\'s own name; remove it',
      'commands/args.ts: the arg "b" comes after "a", which takes the rest of the text; put "a" last',
      'commands/none.ts has no default export: export default command({ … })',
      'commands/odd.ts exports a button, but its folder requires a command: export default command({ … })',
      'commands/throws.ts:1 cannot be loaded: at load',
      "events/ready.ts defines event('messages', …): write event('ready', …)",
      "events/test.ts defines event('message', …): rename it to message, or write event('test', …)",
    ].join('\n'),
  })
})

test('a file that throws is named once, however many files import it', async () => {
  const code = `import '../lib/db.ts'\nexport default () => 'done'`
  const files = { 'commands/one.ts': code, 'commands/two.ts': code, 'lib/db.ts': `throw new Error('no database')` }
  await expect(start(files)).rejects.toMatchObject({ message: 'commands/one.ts cannot be loaded: no database' })
})

test('loading rejects a custom_id that could become too long', async () => {
  const long = `import { button, text } from 'botwright'\nexport default button({ params: { note: text({ max: 90 }) }, run() {} })`
  await expect(start({ 'buttons/note.ts': long })).rejects.toMatchObject({
    code: 'ERR_CUSTOM_ID',
    message: expect.stringContaining('buttons/note.ts: its custom_id can have 102 characters') as string,
  })
})

test('ctx.signal aborts at the time limit of the handler', async () => {
  const waits = `export default (ctx) => new Promise((_, no) => ctx.signal.addEventListener('abort', () => no(ctx.signal.reason)))`
  const { bot, clock, logged } = await start({ 'commands/slow.ts': waits }, {}, { handlerSeconds: 2 })
  const running = bot.handle(message({ command: 'slow' }))
  await clock.advance(2000)
  await running
  expect(logged[0]).toContain('did not end within 2 seconds')
  expect(clock.waiting).toBe(0)
})

test('events/unknown.ts receives events of unknown types, whatever their names', async () => {
  const { bot, calls } = await start({
    'events/unknown.ts': `export default (ctx) => ctx.api.messages.create({ channel_id: '${id(20)}', content: ctx.envelope.type + ' ' + ctx.event.x })`,
    'events/ready.ts': `export default () => { throw new Error('no event of a bot starts me') }`,
  })
  for (const type of ['poll_end', 'ready', 'unknown', '__proto__', 'constructor'])
    await bot.handle(deliver(type, { x: 1 }))
  expect(calls.map(([, input]) => input['content'])).toEqual([
    'poll_end 1',
    'ready 1',
    'unknown 1',
    '__proto__ 1',
    'constructor 1',
  ])
})

test.each([
  "ctx.reply('and you?')",
  "ctx.send(ctx.channel_id, 'and you?')",
  "ctx.api.messages.create({ channel_id: ctx.channel_id, content: 'and you?' })",
])('stops a loop between bots with answers sent by %s', async (answer) => {
  const { bot, calls } = await start({
    'events/message.ts': `import { event } from 'botwright'\nexport default event('message', { bots: true, run: (ctx) => ${answer} })`,
  })
  for (let i = 0; i < 20; i++)
    await bot.handle(message({ author_id: id(77), author: 'echo', author_bot: true, content: 'hi' }))
  expect(calls).toHaveLength(5)
})

test("stops a loop between bots after five answers a minute, logs it once, and ignores the bot's own messages", async () => {
  const { bot, calls, logged, clock } = await start({
    'events/message.ts': `import { event } from 'botwright'\nexport default event('message', { bots: true, run: () => 'and you?' })`,
  })
  const said = (author_id: string) =>
    bot.handle(message({ author_id, author: 'echo', author_bot: true, content: 'hi' }))
  await said(id(1))
  expect(calls).toHaveLength(0)
  for (let i = 0; i < 20; i++) await said(id(77))
  expect(calls).toHaveLength(5)
  expect(logged).toEqual([expect.stringContaining('a loop with the bot echo: 5 answers to it within a minute')])
  await said(id(78))
  expect(calls).toHaveLength(6)
  await clock.advance(61_000)
  await said(id(77))
  expect(calls).toHaveLength(7)
})

test.each([
  [
    'commands/mine.ts',
    "import { command } from 'botwright'; export default command({ descriptoin: 'x', run: () => 'y' })",
    'unknown field "descriptoin"; did you mean description?',
  ],
  [
    'commands/mine.ts',
    "import { command } from 'botwright'; export default command({ descriptoin: 'x', gather: { quiet: '1s', max: '2s' }, run: () => 'y' })",
    'unknown field "descriptoin"; did you mean description?',
  ],
  [
    'buttons/vote.ts',
    "import { button } from 'botwright'; export default button({ gaurds: [], run: () => 'y' })",
    'unknown field "gaurds"; did you mean guards?',
  ],
  [
    'tasks/daily.ts',
    "import { task } from 'botwright'; export default task({ crom: '0 9 * * *', run: () => {} })",
    'unknown field "crom"; did you mean cron?',
  ],
  [
    'commands/staff/middleware.ts',
    "import { middleware, ownerOnly } from 'botwright'; export default middleware({ gaurds: [ownerOnly()] })",
    'unknown field "gaurds"; did you mean guards?',
  ],
  [
    'commands/ban.ts',
    "import { ownerOnly } from 'botwright'; export const guards = [ownerOnly()]; export default () => 'banned'",
    'the export "guards" has no effect next to a plain function; write export default command({ … }) with guards and run in it',
  ],
  [
    'buttons/ban.ts',
    "import { uuid } from 'botwright'; export const params = { who: uuid() }; export default () => 'banned'",
    'the export "params" has no effect next to a plain function; write export default button({ … }) with params and run in it',
  ],
  [
    'commands/five.ts',
    "import { command } from 'botwright'; export default command({ description: 5, run: () => 'x' })",
    'description must be a string',
  ],
])('%s: rejects a misspelled field and a field without effect', async (file, code, fact) => {
  await expect(start({ [file]: code })).rejects.toThrow(`${file}: ${fact}`)
})

test('reports a state without a migration once, with its file, however many files import it', async () => {
  const failed = start({
    'state/library.ts': `import { state } from 'botwright'
      export default state({ scope: 'bot', version: 2, initial: 1 })`,
    'commands/a.ts': "import '../state/library.ts'; export default () => 'a'",
    'commands/b.ts': "import '../state/library.ts'; export default () => 'b'",
  }).then(
    () => '',
    (error: Error) => error.message,
  )
  expect(await failed).toBe('state/library.ts: migrate has no step 1: values written by version 1 could not be read')
})

test('reports all files that fail with an unexpected error', async () => {
  const broken = (text: string) =>
    `export default { [Symbol.for('bot' + 'wright.definedAs')]: 'command', get run() { throw new TypeError('${text}') } }`
  await expect(start({ 'commands/a.ts': broken('of a'), 'commands/b.ts': broken('of b') })).rejects.toThrow(
    'of a\nof b',
  )
})

test('retries after a failed reply and a failed request for the DM channel', async () => {
  const contents: unknown[] = []
  let failing = true
  const call = ((name: string, input: Record<string, unknown>) => {
    if (failing) return Promise.reject(new Error(`${name} was not answered`))
    contents.push([name, input['content']])
    return Promise.resolve({ id: id(60), channel_id: id(99) })
  }) as unknown as Call
  const code = `export default async (ctx) => {
    await ctx.reply('first').catch(() => {})
    await ctx.ephemeral('psst').catch(() => {})
    await ctx.retry()
    await ctx.update('second')
    await ctx.ephemeral('psst')
  }`
  const middleware = `export default (ctx, next) => ((ctx.retry = () => globalThis.serviceIsBack()), next())`
  Object.assign(globalThis, { serviceIsBack: () => (failing = false) })
  const { bot } = await start({ 'commands/stubborn.ts': code, 'middleware.ts': middleware }, {}, { call })
  await bot.handle(message({ command: 'stubborn' }))
  expect(contents).toEqual([
    ['messages.create', 'second'],
    ['users.dm', undefined],
    ['messages.create', 'psst'],
  ])
})

test('the rest of the modules loads without an event; what does not load is logged with its line', async () => {
  const files = {
    'commands/good.ts': `globalThis.loadedGood = (globalThis.loadedGood ?? 0) + 1\nexport default () => 'good'`,
    'commands/bad.ts': `const here = 1\nthrow new Error('no database')\nexport default () => here`,
    'commands/none.ts': `export const nothing = 1`,
  }
  const definitions = discover(Object.keys(files)).entries
  const { bot, logged } = await start(files, { definitions })
  const seen = globalThis as { loadedGood?: number }
  expect(seen.loadedGood).toBeUndefined()
  await bot.loadRest!()
  expect(seen.loadedGood).toBe(1)
  expect(logged.sort()).toEqual([
    'commands/bad.ts:2 cannot be loaded: no database',
    'commands/none.ts has no default export: export default command({ … })',
  ])
  await bot.handle(message({ command: 'good' }))
  expect(seen.loadedGood).toBe(1)
})

test('a module that does not finish loading is logged', async () => {
  const files = {
    'commands/stuck.ts': `globalThis.stuckBegins()\nawait new Promise(() => {})\nexport default () => 'never'`,
  }
  const { bot, clock, logged } = await start(files, { definitions: discover(Object.keys(files)).entries })
  const begins = new Promise<void>((resolve) => Object.assign(globalThis, { stuckBegins: resolve }))
  void bot.loadRest!()
  await begins
  await clock.advance(30_000)
  expect(logged).toEqual([
    'commands/stuck.ts: did not finish loading within 30 s: is there an await that never ends outside of the handler?',
  ])
})

import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

const framework = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)
const imports = `import { boolean, command, commandTools, cooldown, guard, integer, list, middleware, oneOf, rest, serverOnly, text } from ${framework};`

const files = {
  'commands/add.ts': `${imports} export default command({ description: 'Adds numbers', args: { a: integer({ min: 0, max: 9 }), b: integer().default(1) },
    run: (ctx) => String(ctx.args.a + ctx.args.b) })`,
  'commands/note/new.ts': `${imports} export default command({ description: 'Writes a note', guards: [serverOnly(), cooldown('1m')],
    args: { color: oneOf('red', 'blue'), tags: list(text({ max: 5 })).optional().flag(), loud: boolean().describe('in capitals'), words: rest() },
    run: (ctx) => JSON.stringify(ctx.args) })`,
  'commands/admin.ts': `${imports} export default command({ description: 'Only for zoe',
    guards: [guard({ describe: 'only for zoe', check: (ctx) => ctx.user.name === 'zoe', refusal: 'You are not zoe' })], run: () => 'secret' })`,
  'commands/boom.ts': "export default () => { throw new Error('it broke') }",
  'commands/once.ts': `export default async (ctx) => { await ctx.once('count', () => ctx.send(ctx.channel_id, 'counted')) }`,
  'commands/grow.ts':
    "export default async (ctx) => { await ctx.reply('one'); await ctx.update('two'); await ctx.ephemeral('three') }",
  'commands/secret.ts': `${imports} export default command({ description: 'Hidden', hidden: true, run: () => 'hidden' })`,
  'commands/slow.ts': `${imports} export default command({ description: 'Durable', durable: true, run: () => 'durable' })`,
  'commands/note/middleware.ts': `${imports} export default middleware(async (ctx, next) => { await ctx.send(ctx.channel_id, 'around'); await next() })`,
  // The text after the command is the name of a tool, and its input.
  'commands/model.ts': `${imports} export default async (ctx) => {
    const [, name, input] = /^(\\S+) ?(.*)$/.exec(ctx.typed)
    const tool = commandTools(ctx).find((one) => one.name === name)
    try {
      await ctx.send(ctx.channel_id, 'result ' + JSON.stringify(await tool.call(input)))
    } catch (error) {
      await ctx.send(ctx.channel_id, 'failed ' + error.message)
    }
  }`,
  'commands/limited.ts': `${imports} export default command({ description: 'Twice an hour', hidden: true, guards: [cooldown('1h', { uses: 2 })], args: { nr: integer(), back: boolean() },
    run: async (ctx) => { if (ctx.args.back) await ctx.cooldown.refund(); return (ctx.args.back ? 'refunded ' : 'used ') + ctx.args.nr } })`,
  'commands/nested.ts': `${imports} export default command({ description: 'Calls another command itself', hidden: true, args: { nr: integer() },
    run: async (ctx) => 'nested ' + (await commandTools(ctx, { only: ['limited'] })[0].call({ nr: ctx.args.nr })).text })`,
  // One event calls several commands, in this order.
  'commands/agent.ts': `${imports} export default command({ description: 'Calls commands', hidden: true, run: async (ctx) => {
    const texts = []
    for (const [name, input] of JSON.parse(ctx.typed)) texts.push((await commandTools(ctx, { only: [name] })[0].call(input)).text)
    await ctx.send(ctx.channel_id, 'agent ' + JSON.stringify(texts))
  } })`,
  'commands/describe.ts': `${imports} export default (ctx) => ctx.send(ctx.channel_id, JSON.stringify(commandTools(ctx, { only: ctx.typed === '' ? undefined : ctx.typed.split(',') })))`,
  'events/reaction_add.ts': `${imports} export default async (ctx) =>
    ctx.send(ctx.channel_id, JSON.stringify(await commandTools(ctx, { only: ['add'] })[0].call({ a: 2 })))`,
  'events/member_join.ts': `${imports} export default (ctx) => commandTools(ctx)`,
}

async function rigOf(dispatcher: 'inline' | 'worker' = 'inline') {
  const rig = await ChatRig.start(['ann', 'zoe'])
  await rig.startBot(files, { dispatcher })
  const call = async (who: string, name: string, input: unknown, times = 1) => {
    const before = (await rig.texts()).length
    for (let i = 0; i < times; i++) await rig.says(who, `/model ${name} ${JSON.stringify(input)}`)
    const news = async () => (await rig.texts()).slice(before).filter((text) => !text.startsWith('/model'))
    await rig.until(async () => (await news()).filter((text) => /^(?:result|failed)/.test(text)).length === times)
    return news()
  }
  return { rig, call, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() }
}

test('describes the commands of /help as JSON Schema', async () => {
  await using one = await rigOf()
  const { rig } = one
  await rig.says('ann', '/describe note new,add')
  await rig.until(async () => (await rig.texts()).some((text) => text.startsWith('[{')))
  const tools = JSON.parse((await rig.texts()).at(-1)!) as object[]
  expect(tools).toEqual([
    {
      name: 'note_new',
      description: 'Writes a note (only in servers, limited to one use per 1 min per person)',
      parameters: {
        type: 'object',
        properties: {
          color: { type: 'string', enum: ['red', 'blue'] },
          tags: { type: 'array', items: { type: 'string' }, description: expect.any(String) as string },
          loud: { type: 'boolean', description: 'in capitals' },
          words: { type: 'string', description: 'text' },
        },
        required: ['color', 'words'],
        additionalProperties: false,
      },
    },
    {
      name: 'add',
      description: 'Adds numbers',
      parameters: {
        type: 'object',
        properties: {
          a: { type: 'integer', minimum: 0, maximum: 9, description: 'a whole number from 0 to 9' },
          b: { type: 'integer', description: 'a whole number; default: 1' },
        },
        required: ['a'],
        additionalProperties: false,
      },
    },
  ])
  await rig.says('ann', '/describe')
  await rig.until(async () => (await rig.texts()).some((text) => text.startsWith('[{"name":"add"')))
  const names = (JSON.parse((await rig.texts()).at(-1)!) as { name: string }[]).map(({ name }) => name)
  expect(names.toSorted()).toEqual(['add', 'admin', 'boom', 'grow', 'model', 'note_new', 'once'])
})

test.each(['inline', 'worker'] as const)(
  'a call runs the command as its user, and returns its replies (%s)',
  inAll,
  async (dispatcher) => {
    await using one = await rigOf(dispatcher)
    const { call, rig } = one
    expect(await call('ann', 'add', { a: 2, b: 40 })).toEqual(['42', 'result {"ok":true,"text":"42"}'])
    const words = 'say "hi" --loud\n\\ and -- more'
    const args = { color: 'blue', tags: ['a b', '-"-'], loud: true, words }
    const [around, posted, result] = await call('ann', 'note_new', args)
    expect(around).toBe('around')
    expect(JSON.parse(posted!)).toEqual(args)
    expect(JSON.parse(result!.slice('result '.length))).toEqual({ ok: true, text: posted })
    expect(await call('ann', 'grow', {})).toEqual([
      'two',
      'result {"ok":true,"text":"two\\n(answered in a direct message)"}',
    ])
    expect(rig.logged('error')).toEqual([])
  },
)

test(
  'guards, cooldowns and arguments refuse a call, and the model gets the reason instead of the channel',
  inAll,
  async () => {
    await using one = await rigOf()
    const { call } = one
    const refused = (text: RegExp) => [
      expect.stringMatching(new RegExp(`^result \\{"ok":false,"text":"${text.source}`)) as string,
    ]
    expect(await call('ann', 'admin', {})).toEqual(refused(/You are not zoe"/))
    expect(await call('zoe', 'admin', {})).toEqual(['secret', 'result {"ok":true,"text":"secret"}'])
    const note = { color: 'red', words: 'x' }
    expect((await call('ann', 'note_new', note)).length).toBe(3)
    expect((await call('ann', 'note_new', note)).slice(1)).toEqual(refused(/.*(?:1 min|again)/))
    expect((await call('zoe', 'note_new', note)).length).toBe(3)
    expect(await call('ann', 'add', { a: 12 })).toEqual(refused(/a must be a whole number from 0 to 9/))
    expect(await call('ann', 'add', {})).toEqual(refused(/a /))
    expect(await call('ann', 'add', { a: 1, bb: 2 })).toEqual(
      refused(/there is no argument ..bb..; did you mean ..b..\?/),
    )
    expect(await call('ann', 'add', { a: { b: 1 } })).toEqual(refused(/a must be a text, a number/))
    expect(await call('ann', 'add', { a: 1, b: null })).toEqual(['2', 'result {"ok":true,"text":"2"}'])
    expect(await call('ann', 'add', [1])).toEqual(refused(/the arguments must be a JSON object/))
  },
)

test('an error of a command is an error of the call, with the line of the command', async () => {
  await using one = await rigOf()
  expect(await one.call('ann', 'boom', {})).toEqual(['failed it broke'])
})

test('the same work of two calls is done twice, and that of one call once', async () => {
  await using one = await rigOf()
  expect((await one.call('ann', 'once', {}, 2)).filter((text) => text === 'counted')).toHaveLength(2)
})

test('each call of an event counts against a cooldown, and a refund affects only its own call', async () => {
  await using one = await rigOf()
  const { rig } = one
  const calls = [
    ['limited', { nr: 1 }],
    ['limited', { nr: 2, back: true }],
    ['nested', { nr: 3 }],
    ['limited', { nr: 4 }],
    ['nested', { nr: 5 }],
    ['limited', { nr: 6 }],
  ]
  await rig.says('ann', `/agent ${JSON.stringify(calls)}`)
  const answer = async () => (await rig.texts()).find((text) => text.startsWith('agent '))
  await rig.until(async () => (await answer()) !== undefined)
  const wait = expect.stringMatching(/^(?:nested )?Wait /) as string
  const texts = JSON.parse((await answer())!.slice('agent '.length)) as string[]
  expect(texts).toEqual(['used 1', 'refunded 2', 'nested used 3', wait, wait, wait])
})

test('other events can call commands too, unless they have no channel', inAll, async () => {
  await using one = await rigOf()
  const { rig } = one
  await rig.says('ann', 'hello')
  const person = rig.person('ann')
  const { messages } = await person.messages.list({ channel_id: rig.channel('general') })
  await person.reactions.add({ channel_id: rig.channel('general'), message_id: messages[0]!.id, emoji: '👍' })
  await rig.until(async () => (await rig.texts()).includes('{"ok":true,"text":"3"}'))
  await rig.says('ann', '/describe adn')
  await rig.until(() =>
    rig
      .logged('error')
      .some((line) => line.includes('has no command "adn" that a model can call; did you mean "add"?')),
  )
})

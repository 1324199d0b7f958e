import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDev, stop } from '../dev-process.test.fixture.ts'
import { untilPrinted } from '../program.test.fixture.ts'
import type { Running } from '../program.test.fixture.ts'
import { findService, PersonAtService } from './person.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const framework = JSON.stringify(new URL('../../../../framework/dist/index.js', import.meta.url).href)
const files = {
  'commands/ping.ts': "export default () => 'pong'",
  'commands/tidy.ts':
    "export default async (ctx) => { await ctx.api.messages.delete({ channel_id: ctx.channel_id, message_id: ctx.event.id }); return 'tidied' }",
  'commands/count.ts': `import { command, integer } from ${framework}
    export default command({ description: 'Counts', args: { to: integer() }, run: (ctx) => 'one\\ntwo ' + ctx.args.to })`,
  'commands/boom.ts': "export default () => { throw new Error('it broke') }",
  'commands/careless.ts': "export default () => { void Promise.reject(new Error('nobody waits')); return 'done' }",
  'commands/stuck.ts':
    'export default () => new Promise((resolve) => void Object.assign(globalThis, { free: resolve }))',
  'commands/free.ts': "export default () => { Reflect.get(globalThis, 'free')(); return 'free' }",
  'commands/slow.ts': `import { setTimeout } from 'node:timers/promises'
    export default async (ctx) => { await ctx.reply('one'); await setTimeout(1500); return 'two' }`,
  'commands/quiet.ts': 'export default () => {}',
  'commands/logs.ts': "export default (ctx) => { ctx.log.error('low on tea'); return 'done' }",
  'commands/nap.ts': `import { command } from ${framework}
    export default command({ description: 'Naps', durable: true, run: async (ctx) => { await ctx.sleep('2h') } })`,
  'commands/ask.ts': "export default async (ctx) => 'Hi ' + (await ctx.ask('Who?'))",
  'commands/board.ts': `import vote from '../buttons/vote.ts'
    export default () => ({ content: 'Vote', components: [{ type: 'row', components: [vote.button({ label: 'Yes' })] }] })`,
  'commands/card.ts': `export default () => ({ embeds: [
    { title: 'Tea?', description: 'until\\nnoon', fields: [{ name: 'Yes', value: '3' }] },
  ] })`,
  'commands/heart.ts': `import vote from '../buttons/vote.ts'
    export default () => ({ content: 'Like?', components: [{ type: 'row', components: [vote.button({ emoji: '❤️', label: 'Love' })] }] })`,
  'commands/cafe.ts': `import vote from '../buttons/vote.ts'
    export default () => ({ content: 'Where?', components: [{ type: 'row', components: [vote.button({ label: 'Caf\u00e9' })] }] })`,
  'buttons/vote.ts': `import { button } from ${framework}
    export default button({ run: (ctx) => ctx.ephemeral('thanks') })`,
  'events/reaction_add.ts': "export default (ctx) => ctx.send(ctx.channel_id, 'you like ' + ctx.event.emoji)",
  'events/member_join.ts': "export default (ctx) => ctx.log.info('hello')",
}

let draft: BotDraft
let dev: Running
beforeAll(async () => {
  draft = await BotDraft.make(files)
  dev = await startDev(draft)
  await untilPrinted(dev, 'Chat')
})
afterAll(async () => {
  await stop(dev)
  await draft[Symbol.asyncDispose]()
})

/** The first server, as its owner sees it. */
async function workshop() {
  const ann = await PersonAtService.signIn(await findService(draft.root, undefined), 'ann')
  return (await ann.servers())[0]!
}

/** Runs a command; `output` is what it prints. */
async function run(...args: string[]) {
  const { code, stdout, stderr } = await draft.framework(args)
  return { code, output: stdout + stderr }
}

test.each([
  [
    ['say', 'ann', '/ping'],
    0,
    /^ann in #general: \/ping\ncommands\/ping\.ts {2}event \d+ {2}[\d.]+ m?s\n {2}reply “pong”\n$/,
  ],
  [['say', 'ann', '/count 3', '--in', 'random'], 0, /^ann in #random: .*\n.*\n {2}reply\n {4}one\n {4}two 3\n$/],
  [['say', 'ann', '/count x'], 0, /– refused: to must be a whole number/],
  [['say', 'ann', '/card'], 0, /\n {2}reply\n {4}│ Tea\?\n {4}│ until\n {4}│ noon\n {4}│ Yes: 3\n$/],
  [['say', 'ann', '/boom'], 4, /✘ commands\/boom\.ts:1 {2}it broke\n$/],
  [
    ['say', 'ann', '/careless'],
    4,
    /reply “done”\n✘ commands\/careless\.ts:1: a promise that no code awaits was rejected: nobody waits\n$/,
  ],
  [['say', 'ann', '/logs'], 0, /reply “done”\n✘ low on tea\n$/],
  [
    ['say', 'ann', '/nap'],
    0,
    /^ann in #general: \/nap\ncommands\/nap\.ts {2}event \d+\n… commands\/nap\.ts:2 sleeps until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n$/,
  ],
  [
    ['say', 'ann', '/quiet'],
    3,
    /– the bot did nothing: its handler ended without an answer: it sent nothing, and returned nothing or an empty text\n$/,
  ],
  [
    ['say', 'ann', 'hello'],
    3,
    /– the bot did nothing: no file handles the event; add events\/message\.ts to handle it\n$/,
  ],
  [['dm', 'ann', '/ping'], 0, /^ann in direct messages: \/ping\n(?:.*\n) {2}reply “pong”\n$/],
  [['react', 'ann', '👍'], 0, /events\/reaction_add\.ts .*\n {2}send “you like 👍”\n$/],
  // Without its variation selector, as some keyboards type it.
  [['react', 'ann', '❤'], 0, /events\/reaction_add\.ts .*\n {2}send “you like ❤️”\n$/],
  [['join', 'zoe'], 3, /^zoe joins Workshop\nevents\/member_join\.ts /],
  [['say', 'ann'], 2, /missing required argument 'text'/],
  [['say', 'ann', 'x', '--wait', 'soon'], 2, /must be a duration, such as 2s/],
  [['say', 'ann', '/count 1', '--in', '#random'], 0, /^ann in #random: /],
  [['say', 'ann', 'x', '--in', 'nowhere'], 1, /cannot see a channel "nowhere"; choose one of .*general.* with --in/],
  [['say', 'nobody', 'x'], 1, /nobody is not in any server: run "framework join nobody" first/],
  [['join', 'zoe', 'Nowhere'], 1, /there is no server "Nowhere"; choose one of Workshop/],
  [['say', 'ann', 'x', '--service', 'http://127.0.0.1:9'], 1, /http:\/\/127\.0\.0\.1:9 does not respond/],
])('framework %j', async (args, code, output) => {
  expect(await run(...args)).toEqual({ code, output: expect.stringMatching(output) as string })
})

test('clicks the newest button with the label, and prints the answer', async () => {
  await run('say', 'ann', '/board')
  expect(await run('click', 'ann', 'Yes')).toEqual({
    code: 0,
    output: expect.stringMatching(
      /^ann clicks Yes in #general\nbuttons\/vote\.ts .*\n {2}ephemeral “thanks”\n$/,
    ) as string,
  })
  for (const label of ['No', ''])
    expect((await run('click', 'ann', label)).output).toContain(
      `there is no button "${label}" in #general; its buttons: Yes`,
    )
})

test('the journal of the bot has only calls of the bot', async () => {
  const ann = await PersonAtService.signIn(await findService(draft.root, undefined), 'ann')
  const bot = (await ann.servers())[0]!.bots[0]!
  const profiles = async () => {
    const { calls } = await ann.api.inspector.journal({ bot_id: bot.id })
    return calls.filter(({ path }) => path === '/v1/me').length
  }
  const before = await profiles()
  await run('say', 'ann', '/ping')
  expect(await profiles()).toBe(before)
})

test(
  'clicks a button by its emoji, in any form, and by both parts of its face; the id of a message may be in upper case',
  slow,
  async () => {
    const { answers } = JSON.parse((await run('say', 'ann', '/heart', '--json')).output) as {
      answers: { created: string }[]
    }
    const on = answers[0]!.created.toUpperCase()
    for (const args of [['❤'], ['❤️ Love'], ['Love', '--on', on]])
      expect((await run('click', 'ann', ...args)).output).toContain('ephemeral “thanks”')
    expect((await run('react', 'ann', '👍', '--on', on)).output).toContain('you like 👍')
  },
)

test('names and labels may have decomposed letters, and emoji no variation selector [spec: decisions/53]', async () => {
  const ann = await PersonAtService.signIn(await findService(draft.root, undefined), 'ann')
  const [workshop] = await ann.servers()
  await ann.api.channels.create({ server_id: workshop!.server.id, name: 'caf\u00e9\u2699\ufe0f' })
  await ann.api.servers.create({ name: 'B\u00e4r\u2764\ufe0f' })
  const place = ['--in', 'cafe\u0301\u2699']
  expect((await run('say', 'ann', '/cafe', ...place)).output).toContain('ann in #caf\u00e9\u2699\ufe0f: /cafe\n')
  expect((await run('click', 'ann', 'Cafe\u0301', ...place)).output).toContain('ephemeral “thanks”')
  expect((await run('join', 'bob', 'Ba\u0308r\u2764')).output).toContain('bob joins B\u00e4r\u2764\ufe0f\n')
  expect((await run('role', 'bob', 'mods', 'Ba\u0308r\u2764')).output).toContain(
    'bob has the new role mods in B\u00e4r\u2764\ufe0f;',
  )
})

test('a second join, and a second reaction with one emoji, cause no event: the command reports that at once', async () => {
  expect(await run('join', 'carol')).toEqual({
    code: 1,
    output: expect.stringMatching(/^carol is already in the server Workshop\n/) as string,
  })
  const { answers } = JSON.parse((await run('say', 'ann', '/ping', '--json')).output) as {
    answers: { created: string }[]
  }
  const again = () => run('react', 'bob', '❤', '--on', answers[0]!.created)
  expect((await again()).output).toContain('you like ❤️')
  expect(await again()).toEqual({
    code: 1,
    output: expect.stringMatching(/^bob has already reacted with ❤ to this message\n/) as string,
  })
})

test('a bot gets a role with permissions, and keeps those that the role has', async () => {
  const bot = (await workshop()).bots[0]!.username
  expect((await run('role', bot, 'janitor', '--permission', 'Manage messages')).output).toContain(
    `${bot} has the new role janitor with manage_messages in Workshop;`,
  )
  expect((await run('say', 'ann', '/tidy')).output).toContain('tidied')
  const more = ['--permission', 'kick_members', '--permission', 'Manage messages', '--json']
  const { output } = await run('role', bot, 'Janitor', ...more)
  const permissions = ['manage_messages', 'kick_members']
  expect(JSON.parse(output)).toMatchObject({ role: 'janitor', created: false, has: true, permissions })
  expect((await workshop()).roles.find(({ name }) => name === 'janitor')?.permissions).toEqual(permissions)
  expect((await run('role', bot, 'janitor', '--remove')).output).toContain(`${bot} no longer has the role janitor`)
  expect((await run('say', 'ann', '/tidy')).output).toContain('ERR_FORBIDDEN')
})

test('a misspelled permission and a name that no account may have are refused', slow, async () => {
  expect(await run('role', 'bob', 'mods', '--permission', 'Manage mesages')).toEqual({
    code: 2,
    output: expect.stringContaining('did you mean manage_messages?') as string,
  })
  expect(await run('role', 'a b', 'mods')).toEqual({
    code: 1,
    output: expect.stringContaining('must be 1 to 32 characters without spaces') as string,
  })
})

test('an answer goes to the handler that asked, and its reply is shown', async () => {
  expect((await run('say', 'ann', '/ask')).output).toMatch(
    /reply “Who\?”\n… commands\/ask\.ts:1 waits for an answer from ann in #general\n$/,
  )
  expect((await run('say', 'ann', 'Bob')).output).toMatch(/commands\/ask\.ts .*\n {2}reply “Hi Bob”\n$/)
})

test('a handler that works for a while after its first reply is followed to its end', slow, async () => {
  expect(await run('say', 'ann', '/slow')).toEqual({
    code: 0,
    output: expect.stringMatching(/reply “one”\n.*reply “two”\n$/) as string,
  })
})

test('a handler that still runs is shown with its line, also for the events behind it', slow, async () => {
  const at = ['--in', 'random', '--wait', '1s']
  expect(await run('say', 'bob', '/stuck', ...at)).toEqual({
    code: 3,
    output: expect.stringMatching(/… commands\/stuck\.ts:1 is still running\n$/) as string,
  })
  expect(await run('say', 'bob', '/ping', ...at)).toEqual({
    code: 3,
    output: expect.stringMatching(
      /… the event waits in its queue until event \d+ has ended: commands\/stuck\.ts:1 is still running\n$/,
    ) as string,
  })
  expect((await run('say', 'ann', '/free')).output).toContain('free')
})

test('as JSON, everything has its id', async () => {
  const { code, output } = await run('say', 'ann', '/ping', '--json')
  const id = expect.stringMatching(/^[0-9a-f-]{36}$/) as string
  expect(code).toBe(0)
  expect(JSON.parse(output)).toEqual({
    outcome: 'answered',
    did: { channel_id: id, message_id: id },
    event: {
      id: expect.any(Number) as number,
      type: 'message',
      result: 'ok',
      file: 'commands/ping.ts',
      ms: expect.any(Number) as number,
    },
    answers: [{ call: 'messages.create', created: id, input: { channel_id: id, reply_to: id, content: 'pong' } }],
  })
})

test('without a running bot, the error names what to start', async () => {
  await using other = await BotDraft.make({})
  const { code, stdout, stderr } = await other.framework(['say', 'ann', 'hi'])
  expect(code).toBe(1)
  expect(stdout + stderr).toContain('no "framework dev" is running in this folder')
})

test('the instructions of new bots show what a new bot prints', slow, async () => {
  const root = new URL('../../../../../', import.meta.url)
  const read = (file: string) => readFileSync(new URL(file, root), 'utf8')
  const own = (file: string) => read(`templates/basic/${file}`).replaceAll("'@botwright/framework'", framework)
  await using other = await BotDraft.make(
    Object.fromEntries(['commands/ping.ts', 'buttons/again.ts'].map((file) => [file, own(file)])),
  )
  const fresh = await startDev(other)
  try {
    await untilPrinted(fresh, 'Chat')
    const { stdout } = await other.framework(['say', 'ann', '/ping'])
    const [, shown] = /\$ npx framework say ann "\/ping"\n([^`]+)```/.exec(read('packages/site/docs/public/AGENTS.md'))!
    const withoutTimes = (text: string) => text.replaceAll(/event \d+|[\d.]+ m?s/g, '…')
    expect(withoutTimes(stdout)).toBe(withoutTimes(shown!))
    expect(read('packages/site/docs/public/AGENTS.md').split('\n').length).toBeLessThanOrEqual(60)
  } finally {
    await stop(fresh)
  }
})

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDev, startDevProcess, stop } from '../dev-process.test.fixture.ts'
import { untilPrinted } from '../program.test.fixture.ts'
import type { Running } from '../program.test.fixture.ts'
import { findService, PersonAtService } from './person.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const framework = JSON.stringify(new URL('../../../../framework/dist/index.js', import.meta.url).href)
const guarded = (guards: string) => `import { command, cooldown, dmOnly, guard } from ${framework}
  export default command({ description: 'x', guards: [${guards}], run: () => 'pong' })`
const files = {
  'commands/ping.ts': "export const aliases = ['p']\nexport default () => 'pong'",
  'commands/private.ts': guarded("dmOnly({ refusal: '' })"),
  'commands/late.ts': guarded("guard({ describe: 'only before noon', check: () => false, refusal: '' })"),
  'commands/reset.ts': `import { hasRole } from ${framework}\n  ${guarded("hasRole('mods')")}`,
  'commands/rare.ts': guarded("cooldown('1h', { refusal: '' })"),
  'commands/broken.ts': "export default (ctx) => ctx.reply('x'.repeat(2001))",
  'commands/herbs.ts':
    "export default async (ctx) => 'ok ' + (await ctx.choose('Which tea?', ['Mint'], { timeout: '15s' }))",
  'commands/order.ts': "export default async (ctx) => 'ok ' + (await ctx.ask('Small or large?', { timeout: '15s' }))",
  'commands/tea.ts': `import { command, rest } from ${framework}
    export default command({ description: 'Tea', args: { kind: rest() }, run: (ctx) => 'a cup of ' + ctx.args.kind })`,
  'commands/tea/black.ts': "export default () => 'black tea'",
  'commands/tea/green.ts': "export default () => 'green tea'",
  'events/member_join.ts': 'export default () => {}',
}

let draft: BotDraft
let dev: Running
let ann: PersonAtService
beforeAll(async () => {
  draft = await BotDraft.make(files)
  dev = await startDev(draft)
  await untilPrinted(dev, 'Chat')
  ann = await PersonAtService.signIn(await findService(draft.root, undefined), 'ann')
})
afterAll(async () => {
  await stop(dev)
  await draft[Symbol.asyncDispose]()
})

async function run(...args: string[]) {
  const { code, stdout, stderr } = await draft.framework(args)
  return { code, output: stdout + stderr }
}
const nothing = (why: string) => ({ code: 3, output: expect.stringContaining(`– ${why}\n`) as string })

test.each([
  ['a guard', '/private', 'refused: only in direct messages'],
  ['an own guard', '/late', 'refused: only before noon'],
  ['a near miss', '/pign', 'the bot did nothing: there is no command /pign; did you mean /ping?'],
  ['a missing prefix', 'ping', 'the bot did nothing: no file handles the event; did you mean /ping?'],
  [
    'an unknown command',
    '/xyzzy',
    'the bot did nothing: there is no command /xyzzy; run framework routes to list its commands',
  ],
  ['other content', 'hello', 'the bot did nothing: no file handles the event; add events/message.ts to handle it'],
])('nothing happened because of %s', async (_cause, content, why) => {
  expect(await run('say', 'ann', content)).toEqual(nothing(why))
})

test('an answer after the timeout of its question names the question', { tags: 'all/real-time' }, async () => {
  expect((await run('say', 'bob', '/order')).code).toBe(0)
  await run('clock', '+1m')
  const { code, output } = await run('say', 'bob', 'large')
  expect(code).toBe(3)
  expect(output).toMatch(
    /– the bot did nothing: no file handles the event: the question “Small or large\?” \(commands\/order\.ts:1\) had timed out at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d, 4\d s earlier\n$/,
  )
  expect((await run('explain', 'last')).output).toMatch(/no file handles this event; the question “Small or large\?” /)
  await run('say', 'bob', '/herbs')
  expect((await run('clock', '+1m')).output).toContain('#general  edit without buttons\n')
  expect(await run('click', 'bob', 'Mint')).toMatchObject({
    code: 1,
    output: expect.stringMatching(
      /there is no button .*; the question “Which tea\?” \(commands\/herbs\.ts:1\) had timed out at \d{4}-\S+ [\d:]+\n/,
    ) as string,
  })
  // Another person was not asked.
  expect((await run('say', 'carol', 'large')).output).toContain('no file handles the event; add events/message.ts')
})

test('a word that is almost a subcommand is named, and the command runs as usual', async () => {
  const { code, output } = await run('say', 'ann', '/tea blak')
  expect(code).toBe(0)
  expect(output).toMatch(
    /\ncommands\/tea\.ts .*\n {2}reply “a cup of blak”\n! \/tea has the subcommands black, green; did you mean \/tea black\?\n$/,
  )
  expect((await run('explain', 'last')).output).toContain(
    'matched commands/tea.ts; /tea has the subcommands black, green; did you mean /tea black?',
  )
  expect((await run('say', 'ann', '/tea mint')).output).not.toContain('subcommand')
})

test('a refusal for a role that the server does not have lists its roles', { tags: 'all/real-time' }, async () => {
  const refused = async () => (await run('say', 'bob', '/reset', '--wait', '1m')).output
  expect(await refused()).toMatch(
    /– refused: only for people with the role mods; the server "Workshop" has no role "mods"; it has no roles: create one with that name\n$/,
  )
  expect(await run('role', 'bob', 'helpers')).toEqual({
    code: 0,
    output:
      'bob has the new role helpers in Workshop; the bot sees it within a minute, or after "framework clock +1m"\n',
  })
  await run('clock', '+1m')
  expect(await refused()).toContain('the server "Workshop" has no role "mods"; its roles: helpers\n')
  expect((await run('role', 'bob', 'mods', '--json')).output).toContain('"created":true,"has":true')
  await run('clock', '+1m')
  expect(await refused()).toContain('reply “pong”')
  expect((await run('role', 'bob', 'MODS', '--remove')).output).toMatch(/^bob no longer has the role mods in Workshop;/)
  await run('clock', '+1m')
  expect(await refused()).toMatch(/– refused: only for people with the role mods\n$/)
  expect(await run('role', 'bob', 'owners', '--remove')).toEqual({
    code: 1,
    output: expect.stringContaining('the server Workshop has no role "owners"; its roles: helpers, mods') as string,
  })
})

test('a used-up cooldown refuses', async () => {
  expect((await run('say', 'ann', '/rare')).code).toBe(0)
  expect(await run('say', 'ann', '/rare')).toMatchObject({
    code: 3,
    output: expect.stringContaining('– refused: limited to one use per 1 h per person') as string,
  })
})

test('the bot cannot see a private channel', async () => {
  expect(await run('say', 'ann', '/ping', '--in', 'staff')).toEqual(
    nothing('the bot did nothing: the bot cannot see the private channel #staff: none of its roles has access'),
  )
})

test('the bot is not in the server', async () => {
  const { server } = await ann.api.servers.create({ name: 'Attic' })
  await ann.api.channels.create({ server_id: server.id, name: 'lab' })
  expect(await run('say', 'ann', '/ping', '--in', 'lab')).toEqual(
    nothing('the bot did nothing: the bot is not in the server Attic'),
  )
  expect(await run('join', 'bob', 'Attic')).toEqual(nothing('the bot did nothing: the bot is not in the server Attic'))
})

test('rejects the button of another bot, and the name of a bot as a person', async () => {
  const { token, bot } = await ann.api.bots.create({ username: 'other' })
  const { server } = (await ann.servers())[0]!
  await ann.api.servers.addBot({ server_id: server.id, bot_id: bot.id })
  const { id } = await ann.channel('random')
  const address = await readFile(join(draft.root, '.botwright/service.url'), 'utf8')
  const components = [
    { type: 'row', components: [{ type: 'button', style: 'primary', label: 'Mine', custom_id: 'x' }] },
  ]
  await fetch(`${address}/channels/${id}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bot ${token}` },
    body: JSON.stringify({ content: 'not yours', components }),
  })
  expect(await run('click', 'ann', 'Mine', '--in', 'random')).toEqual(
    nothing('the bot did nothing: the button belongs to another bot'),
  )
  expect(await run('say', 'other', 'hi')).toMatchObject({
    code: 1,
    output: expect.stringContaining('this is a bot') as string,
  })
})

test('if the newest code does not load, the answer of the older code is marked', async () => {
  await draft.write({ 'commands/ping.ts': 'export default (' })
  await untilPrinted(dev, 'still running the previous version')
  expect(await run('say', 'ann', '/ping')).toMatchObject({
    code: 0,
    output: expect.stringMatching(
      /reply “pong”\n! commands\/ping\.ts:1:\d+ {2}.* \(the bot is still running the previous version\)\n$/,
    ) as string,
  })
  const { output } = await run('say', 'ann', '/ping', '--json')
  expect(JSON.parse(output)).toMatchObject({
    problems: [{ at: expect.stringContaining('commands/ping.ts:1') as string }],
  })
  await draft.write({ 'commands/ping.ts': files['commands/ping.ts'] })
  await untilPrinted(dev, /↻ commands\/ping\.ts|fixed; now/)
  expect((await run('say', 'ann', '/ping')).output).not.toContain('!')
})

test(
  'outside the folder, only visible answers are reported, and the rest is not certain',
  { tags: ['all/processes'] },
  async () => {
    await using other = await BotDraft.make({})
    const service = (await readFile(join(draft.root, '.botwright/service.url'), 'utf8')).replace('/v1', '')
    const at = ['--service', service, '--wait', '2s']
    // Ends as soon as the bot has answered and is quiet again.
    const answered = await other.framework(['say', 'ann', '/ping', '--service', service, '--wait', '20s'])
    expect(answered).toMatchObject({ code: 0, stdout: 'ann in #general: /ping\n  reply “pong”\n' })
    const { code, stdout } = await other.framework(['say', 'ann', 'hello', ...at])
    expect({ code, stdout }).toEqual({
      code: 3,
      stdout: expect.stringMatching(
        /^ann in #general: hello\n– the bot did nothing: no answer was visible within 2\.0 s; there are several bots at \S+; choose one of botwright_draft_\w+, other with --bot\n$/,
      ) as string,
    })
    const { stdout: document } = await other.framework(['say', 'ann', 'hello', ...at, '--json'])
    expect(JSON.parse(document)).toMatchObject({ outcome: 'nothing', certain: false, answers: [] })
  },
)

test('a bot whose code has never loaded is down, and the output names the line', slow, async () => {
  await using other = await BotDraft.make({ 'commands/ping.ts': 'export default (' })
  const broken = startDevProcess(other)
  try {
    await untilPrinted(broken, 'Chat')
    const { code, stdout } = await other.framework(['say', 'ann', '/ping'])
    expect(code).toBe(3)
    expect(stdout).toMatch(
      /– the bot did nothing: the bot is not running, because its code does not load: commands\/ping\.ts:1:\d+ {2}.+\n$/,
    )
  } finally {
    broken.child.kill('SIGKILL')
    await broken.ended
  }
  await expect
    .poll(() => other.framework(['say', 'ann', '/ping']))
    .toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not respond: start framework dev or framework service again') as string,
    })
})

test('a bot answers in a private channel that it is a member of, without a role', slow, async () => {
  const world = {
    people: [{ username: 'ann' }],
    bots: [{ username: 'porter', owner: 'ann' }],
    servers: [
      {
        name: 'Station',
        owner: 'ann',
        bots: ['porter'],
        channels: [
          { name: 'general' },
          { name: 'office', private: true, members: ['porter'] },
          { name: 'vault', private: true },
        ],
      },
    ],
  }
  await using station = await BotDraft.make({ ...files, 'world.json': JSON.stringify(world) })
  await using running = await startDev(station, ['--world', 'world.json'])
  await untilPrinted(running, 'Chat')
  const say = (channel: string) => station.framework(['say', 'ann', '/ping', '--in', channel])
  expect(await say('office')).toMatchObject({ code: 0, stdout: expect.stringContaining('reply “pong”') as string })
  expect(await say('vault')).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('the bot cannot see the private channel #vault') as string,
  })
})

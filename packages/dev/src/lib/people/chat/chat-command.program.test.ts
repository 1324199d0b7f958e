import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BotDraft } from '../../bot-folder.test.fixture.ts'
import { startDev, stop } from '../../dev-process.test.fixture.ts'
import { run, type Running, start, untilPrinted } from '../../program.test.fixture.ts'
import { inTerminal } from '../../in-terminal.test.fixture.ts'
import { findService, PersonAtService } from '../person.ts'
import { readInput } from './chat-input.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const framework = JSON.stringify(new URL('../../../../../framework/dist/index.js', import.meta.url).href)
const files = {
  'commands/ping.ts': "export default () => 'one\\ntwo'",
  'commands/boom.ts': "export default () => { throw new Error('it broke') }",
  'commands/evil.ts': "export default () => '\\u001b]0;owned\\u0007\\u202e'",
  'commands/later.ts':
    "export default async (ctx) => { const { channel_id } = ctx; await ctx.reply('soon'); await ctx.send(channel_id, 'unasked') }",
  'commands/board.ts': `import vote from '../buttons/vote.ts'
    import { embed } from ${framework}
    export default () => ({ content: 'Vote', embeds: [embed({ title: 'Lunch', fields: [{ name: 'a', value: 'b' }] })],
      components: [{ type: 'row', components: [vote.button({ label: 'Yes' }), { type: 'button', style: 'link', label: 'Docs', url: 'https://example.org' }] }] })`,
  'buttons/vote.ts': `import { button } from ${framework}
    export default button({ run: async (ctx) => { await ctx.ephemeral('thanks'); await ctx.update({ content: 'Voted' }) } })`,
  'events/reaction_add.ts': 'export default (ctx) => ctx.api.reactions.add({ ...ctx.event, emoji: ctx.event.emoji })',
}

let draft: BotDraft
let dev: Running
beforeAll(async () => {
  draft = await BotDraft.make(files)
  dev = await startDev(draft, ['--key'])
  await untilPrinted(dev, 'Chat')
})
afterAll(async () => {
  await stop(dev)
  await draft[Symbol.asyncDispose]()
})

/** Runs the chat in a pipe. */
async function chat(lines: string, ...args: string[]) {
  const { code, stdout, stderr } = await run(['chat', ...args], { cwd: draft.root, input: lines })
  return { code, output: stdout + stderr }
}

test('in a pipe, each line is answered before the next one is sent', async () => {
  const { code, output } = await chat(
    '/ping\n\n/board\n:1\n:react 👍\n:as bob\n:in random\n::) is :fine\n',
    '--as',
    'ann',
  )
  expect(output).toMatch(
    new RegExp(
      [
        String.raw`^ann is in #general; :help lists the commands of this prompt`,
        String.raw`ann: /ping`,
        String.raw`(bot\S+): one`,
        String.raw`  two`,
        String.raw`ann: /board`,
        String.raw`\1: Vote`,
        String.raw`  │ Lunch`,
        String.raw`  │ a: b`,
        String.raw`  \[:1 Yes\] \[Docs → https://example\.org\]`,
        String.raw`\1 \(only you see this\): thanks`,
        String.raw`\1 \(edited\): Voted`,
        String.raw`(?:  .*\n)*ann reacts with 👍 to “Voted” by \1`,
        String.raw`\1 reacts with 👍 to “Voted” by \1`,
        String.raw`bob is in #general; .*`,
        String.raw`bob: :\) is :fine`,
        String.raw`– the bot did nothing: no file handles the event`,
      ].join('\n'),
    ),
  )
  expect(code).toBe(0)
})

test('failures of the bot, of the input and of the service are shown, and end with exit code 1', async () => {
  const { code, output } = await chat('/boom\n:7\n:as\n:hepl\n:in nowhere\n:as x y\n:dm /ping\n')
  expect(output).toContain('✘ commands/boom.ts:1  it broke')
  expect(output).toContain('✘ there is no button 7')
  expect(output).toContain('✘ :as requires an argument, as in :as bob')
  expect(output).toContain('did you mean :help?')
  expect(output).toContain('cannot see a channel "nowhere"')
  expect(output).toContain('username: must be 1 to 32 characters without spaces')
  expect(output).toMatch(/ann: \/ping\nbot\S+: one\n/)
  expect(code).toBe(1)
})

test('texts written by other people cannot control the terminal', async () => {
  const { output } = await chat('/evil\n')
  expect(output).toContain(String.raw`: \u001b]0;owned\u0007\u202e`)
  expect(output).not.toMatch(/[\u001b\u0007\u202e]/)
})

test('unprompted messages, and those of other people, are printed as they arrive', async () => {
  const stdin = new PassThrough()
  const { output, ended } = await start(['chat', '--as', 'carol'], { cwd: draft.root, stdin })
  await expect.poll(output).toContain('carol is in #general')
  await chat('/later\n:in random\nhello\n', '--as', 'bob')
  await expect.poll(output).toMatch(/bob: \/later\nbot\S+: soon\nbot\S+: unasked\n#random {2}bob: hello\n/)
  stdin.end()
  expect(await ended).toBe(0)
})

test('reacts to the newest message that was not deleted', async () => {
  const stdin = new PassThrough()
  const { output, ended } = await start(['chat', '--as', 'ann', '--in', 'random'], { cwd: draft.root, stdin })
  await expect.poll(output).toContain('ann is in #random')
  stdin.write('first\nsecond\n')
  await expect.poll(output).toMatch(/ann: second\n[^]*did nothing/)
  const ann = await PersonAtService.signIn(await findService(draft.root, undefined), 'ann')
  const { id: channel_id } = await ann.channel('random')
  const [second] = await ann.messages(channel_id)
  await ann.api.messages.delete({ channel_id, message_id: second!.id })
  await expect.poll(output).toContain('“second” by ann was deleted')
  stdin.end(':react 👍\n')
  expect(await ended).toBe(0)
  expect(output()).toContain('ann reacts with 👍 to “first” by ann')
})

test.skipIf(process.platform !== 'linux')(
  'on a terminal, the arrow keys repeat a line, and Ctrl+C ends',
  slow,
  async () => {
    const { ended, output, type } = inTerminal(draft.root, 'chat --as dora')
    await expect.poll(output).toMatch(/\w+ is not in any server: run "framework join \w+" first/)
    expect((await ended)[0]).toBe(1)
    const bob = inTerminal(draft.root, 'chat --as bob')
    await expect.poll(bob.output).toContain('bob in #general>')
    bob.type('/ping\n')
    await expect.poll(bob.output).toMatch(/bot\S+: one\n {2}two\n/)
    bob.type('\u001b[A\n')
    await expect.poll(bob.output).toMatch(/: one[^]*: one\n/)
    // Sequences that move the cursor reach the terminal, and are not shown as text.
    expect(bob.output()).toContain('\u001b[2K')
    expect(bob.output()).not.toContain('\\u001b')
    bob.type('\u0003')
    expect((await bob.ended)[0]).toBe(0)
    type('')
  },
)

test.skipIf(process.platform !== 'linux')('on a terminal, a refused text does not hide a later one', slow, async () => {
  const service = await findService(draft.root, undefined)
  const [ann, carol] = await Promise.all(['ann', 'carol'].map((name) => PersonAtService.signIn(service, name)))
  const [{ server }] = (await ann!.servers()) as [Awaited<ReturnType<PersonAtService['servers']>>[number]]
  const timeout = (minutes: number) =>
    ann!.api.moderation.timeout({ server_id: server.id, user_id: carol!.id, minutes })
  const terminal = inTerminal(draft.root, 'chat --as carol')
  await expect.poll(terminal.output).toContain('carol in #general>')
  await timeout(1)
  terminal.type('good evening\n')
  await expect.poll(terminal.output).toContain('not allowed: timed out in this server')
  await timeout(0)
  // In another window.
  await carol!.api.messages.create({ channel_id: (await carol!.channel('general')).id, content: 'good evening' })
  await expect.poll(terminal.output).toMatch(/carol\S*: good evening/)
  terminal.type('\u0003')
  expect((await terminal.ended)[0]).toBe(0)
})

test.each([
  ['', undefined],
  ['  ', undefined],
  ['hi', { kind: 'message', content: 'hi' }],
  ['/as bob', { kind: 'message', content: '/as bob' }],
  ['::as bob', { kind: 'message', content: ':as bob' }],
  [':)', { kind: 'message', content: ':)' }],
  [':smile: hi', { kind: 'message', content: ':smile: hi' }],
  [':12', { kind: 'click', number: 12 }],
  [':as bob', { kind: 'as', argument: 'bob' }],
  [':dm', { kind: 'dm', argument: '' }],
  [':dm two  words ', { kind: 'dm', argument: 'two  words' }],
])('reads %j', (line, input) => {
  expect(readInput(line)).toEqual(input)
})

test('after a direct message that was refused, the next line is in the channel again', async () => {
  const { output } = await chat(`:dm ${'x'.repeat(2001)}\n/later\n`, '--as', 'ann')
  expect(output).toMatch(/content: must be at most 2000 characters\nann: \/later\nbot\S+: soon\n/)
  expect((await draft.framework(['explain'])).stdout).toMatch(/ {2}\/later {2}ann → #general {2}[^\n]*\n$/)
})

import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { ButtonContext, CommandContext } from '../../index.ts'
import { button, command, date, embed, event, integer, middleware, oneOf, raw, row, state, uuid } from '../../index.ts'

/* oxlint-disable typescript/no-unsafe-return, typescript/no-unsafe-call -- code that does not compile has no types */

// Typical mistakes do not compile. Each @ts-expect-error quotes words of the compiler's error.

const vote = button({ params: { poll: uuid(), choice: oneOf('yes', 'no') }, run: () => undefined })
const stop = button({ run: () => undefined })
const x = { label: 'x' }

/** All of this compiles. */
export const fine = [
  command({ description: 'x', run: (ctx) => ctx.reply('x') }),
  command({ description: 'x', run: async (ctx) => (ctx.content === '' ? 'x' : ctx.reply({ content: 'x' })) }),
  command({ description: 'x', run: (ctx) => void ctx.content }),
  command({ description: 'x', run: (ctx) => (ctx.content === '' ? undefined : { embeds: [embed({ title: 'x' })] }) }),
  button({ run: (ctx) => ctx.update('x') }),
  button({ run: (ctx) => ctx.ack() }),
  event('member_join', (ctx) => ctx.api.moderation.kick({ server_id: '', user_id: ctx.user.id })),
  event('message', (ctx) => (ctx.content === 'x' ? ctx.react('👍') : undefined)),
  event('ready', (ctx) => ctx.send('', 'x')),
  event('message', (ctx) => void raw(ctx.event)['priority']),
  event('unknown', (ctx) => void ctx.event['priority']),
  event('ready', async (ctx) => void raw(await ctx.api.servers.list())['total']),
  state<string[]>({ scope: 'user', initial: [] }),
  state<string[]>({ scope: 'server' }),
  state<string[]>({ per: 'key', initial: [] }),
  state<string[]>({ per: 'key' }),
  middleware((ctx, next) => (ctx.server_id === null ? 'Only in servers' : next())),
]

/** Compiled, and never run. */
export function mistakes(ctx: CommandContext, click: ButtonContext): void {
  // @ts-expect-error Type '"maybe"' is not assignable to type '"yes" | "no"'.
  vote.button({ poll: '', choice: 'maybe' }, x)
  // @ts-expect-error Property 'choice' is missing in type '{ poll: string; }' but required in type '{ readonly
  vote.button({ poll: '' }, x)
  // @ts-expect-error Expected 2 arguments, but got 1.
  vote.button({ poll: '', choice: 'yes' })
  // @ts-expect-error Expected 1 arguments, but got 2.
  stop.button({ poll: '' }, x)
  // @ts-expect-error Property 'pol' does not exist on type 'ParamsOf<{ poll: ArgParam<string, string>; }>'. Did you mean 'poll'?
  button({ params: { poll: uuid() }, run: ({ params }) => params.pol })
  // @ts-expect-error Property 'packing' is missing in type 'StringConstructor'
  button({ params: { poll: String }, run: () => undefined })
  // @ts-expect-error Property 'packing' is missing in type 'Arg<Date>'
  button({ params: { at: date().default('in 2h') }, run: () => undefined })
  // @ts-expect-error Type '"long"' is not assignable to type 'boolean | Duration'.
  button({ params: { poll: uuid() }, spill: 'long', run: () => undefined })

  // @ts-expect-error Property 'run' is missing in type '{ params: { poll: ArgParam<string, string>; }; }'
  button({ params: { poll: uuid() } })
  // @ts-expect-error Property 'run' is missing in type '{ description: string; }'
  command({ description: 'x' })
  // @ts-expect-error Expected 2 arguments, but got 1.
  event('member_join')
  // @ts-expect-error Argument of type '"member_joined"' is not assignable to parameter of type '
  event('member_joined', () => undefined)
  // @ts-expect-error Property 'side' does not exist on type 'ArgsOf<{ sides: ArgParam<number, number>; }>'. Did you mean 'sides'?
  command({ description: 'x', args: { sides: integer() }, run: ({ args }) => args.side })
  // @ts-expect-error Property 'toUpperCase' does not exist on type 'number'.
  command({ description: 'x', args: { sides: integer() }, run: ({ args }) => args.sides.toUpperCase() })

  // @ts-expect-error Property 'contnet' does not exist on type
  event('message', ({ event: message }) => message.contnet)
  // @ts-expect-error Property 'usrname' does not exist on type
  event('member_join', ({ event: { usrname } }) => usrname)
  // @ts-expect-error Property 'chanels' does not exist on type
  button({ run: async ({ api }) => void (await api.channels.listOfServer({ server_id: '' })).chanels })
  // @ts-expect-error Property 'contnet' does not exist on type 'Message'.
  button({ run: async ({ api }) => (await api.messages.create({ channel_id: '', content: '' })).contnet })

  // @ts-expect-error Type '{ contnet: string; }' is not assignable to type 'TextOrMessageOrNothing'.
  command({ description: 'x', run: () => ({ contnet: 'x' }) })
  // @ts-expect-error Type '{ contnet: string; }' is not assignable to type 'Answer'.
  button({ run: async () => ({ contnet: 'x' }) })
  // @ts-expect-error Type 'number' is not assignable to type 'TextOrMessageOrNothing'.
  command({ description: 'x', run: () => 5 })
  // @ts-expect-error Type 'false' is not assignable to type 'TextOrMessageOrNothing'.
  command({ description: 'x', run: (ctx) => ctx.content === 'x' && ctx.reply('x') })
  // @ts-expect-error Type 'Map<string, string>' is not assignable to type 'TextOrMessageOrNothing'.
  event('message', { run: () => new Map<string, string>() })
  // @ts-expect-error Type '{ votes: number; }' is not assignable to type 'TextOrMessageOrNothing'.
  event('message', () => ({ votes: 5 }))
  // @ts-expect-error Type '"Here I am"' is not assignable to type 'NoMessage | Promise<NoMessage>'.
  event('ready', () => 'Here I am')
  // @ts-expect-error Type 'true' is not assignable to type '"write return ctx.ephemeral(…)"'.
  command({ description: 'x', run: () => ({ content: 'x', ephemeral: true }) })
  // @ts-expect-error is not assignable to type '"write embeds: [embed({ … })]"'.
  button({ run: () => ({ content: 'x', embed: embed({ title: 'x' }) }) })
  // @ts-expect-error Type 'number' is not assignable to type 'TextOrMessageOrNothing'.
  middleware(() => 5)

  // @ts-expect-error Type '"usr"' is not assignable to type 'Scope'.
  state({ scope: 'usr', initial: 0 })
  // @ts-expect-error Property 'initial' is missing in type '{ scope: "user"; }'
  state({ scope: 'user' })

  // @ts-expect-error 'custom_id' does not exist in type 'LinkFace<"https://x.test">'.
  const link = button.link({ label: 'x', url: 'https://x.test', custom_id: 'x' })
  // @ts-expect-error Type '"http://x.test"' is not assignable to type '"must begin with https://"'.
  button.link({ label: 'x', url: 'http://x.test' })
  // @ts-expect-error Property 'label' is missing in type '{ style: "primary"; }' but required in type 'Labelled'.
  stop.button({ style: 'primary' })
  // @ts-expect-error Type '"link"' is not assignable to type '"primary" | "secondary" | "success" | "danger"'.
  stop.button({ label: 'x', style: 'link' })
  // @ts-expect-error is not assignable to type '"a row has at most 5 buttons: start another row(…)"'.
  row(link, link, link, link, link, link)
  // @ts-expect-error Type '"red"' is not assignable to type 'number | `#${string}`'.
  embed({ title: 'x', color: 'red' })
  // @ts-expect-error is not assignable to type '"an ephemeral message cannot have buttons"'.
  void click.ephemeral({ content: 'x', components: [row(link)] })
  // @ts-expect-error is not assignable to type '"an ephemeral message cannot have buttons"'.
  void ctx.ephemeral({ content: 'x', components: [row(link)] })
  // @ts-expect-error Type 'Button' is not assignable to type 'ActionRow'.
  void ctx.reply({ content: 'x', components: [link] })
}

for (const [name, compiler, tier] of [
  ['7, which new bots have,', 'ts7', {}],
  ['6', 'typescript', { tags: 'all/templates' }],
] as const)
  test(`TypeScript ${name} reports mistakes in words that a newcomer understands`, tier, async () => {
    const lines = (await readFile(new URL(import.meta.url), 'utf8')).split('\n')
    const expected = lines.flatMap((line, i) => {
      const words = /^ +\/\/ @ts-expect-error (.+)$/.exec(line)?.[1]
      return words === undefined ? [] : [{ line: i + 2, words }]
    })
    const reported = await compile(compiler, lines.join('\n').replaceAll('@ts-expect-error', 'the compiler:'))
    expect(reported.map(({ line }) => line)).toEqual(expected.map(({ line }) => line))
    for (const [i, { words }] of expected.entries()) expect(evenUnions(reported[i]!.text)).toContain(evenUnions(words))
  })

/** The errors that a compiler reports for a file of a bot. */
async function compile(compiler: string, text: string): Promise<{ line: number; text: string }[]> {
  const bot = await mkdtemp(join(tmpdir(), 'botwright-mistakes-'))
  onTestFinished(() => rm(bot, { recursive: true }))
  const checkout = fileURLToPath(new URL('../../../../..', import.meta.url))
  await mkdir(join(bot, 'node_modules'))
  for (const name of ['@botwright', '@types', 'vitest'])
    await symlink(join(checkout, 'node_modules', name), join(bot, 'node_modules', name))
  await cp(join(checkout, 'templates/basic/tsconfig.json'), join(bot, 'tsconfig.json'))
  await writeFile(join(bot, 'package.json'), '{"type":"module"}')
  await writeFile(join(bot, 'bot.ts'), text.replaceAll("'../../index.ts'", "'@botwright/framework'"))
  const args = [join(checkout, 'node_modules', compiler, 'bin/tsc'), '--noEmit', '--pretty', 'false', '-p', bot]
  const output = await new Promise<string>((resolve) =>
    execFile(process.execPath, args, { cwd: bot }, (_error, stdout, stderr) => resolve(stdout + stderr)),
  )
  // Indented lines below an error contain its reasons.
  return output.split(/\n(?! |$)/).map((message) => {
    const [, line, reasons = message] = /^bot\.ts\((\d+),\d+\): error ([^]*)/.exec(message) ?? []
    return { line: Number(line), text: reasons }
  })
}

/** Sorts the members of unions, whose order differs between versions, and removes the `undefined` of optional fields. */
const evenUnions = (text: string): string => {
  const member = /(?:"[^"]*"|`[^`]*`|[\w<>]+)/.source
  return text.replaceAll(new RegExp(`${member}(?: \\| ${member})+`, 'g'), (union) => {
    const members = union.split(' | ').filter((one) => one !== 'undefined')
    return members.sort().join(' | ')
  })
}

import { expect, expectTypeOf, test } from 'vitest'
import {
  anyOf,
  button,
  command,
  cooldown,
  directMessage,
  dmOnly,
  emoji,
  event,
  from,
  hasRole,
  ownerOnly,
  serverOnly,
  integer,
  list,
  mentioned,
  middleware,
  number,
  oneOf,
  row,
  text,
  user,
  uuid,
} from '../index.ts'

test('missing and wrongly typed fields of a command do not compile', () => {
  const run = () => 'x'
  // @ts-expect-error Property 'run' is missing in type '{ description: string; }' but required in type 'CommandOptions<…>'.
  command({ description: 'x' })
  // @ts-expect-error Property 'description' is missing in type '{ run: () => string; }' but required in type 'CommandOptions<…>'.
  command({ run })
  // @ts-expect-error Type 'number' is not assignable to type 'Arg<unknown>'.
  command({ description: 'x', args: { minutes: 5 }, run })
  // @ts-expect-error Argument of type 'string' is not assignable to parameter of type 'number'.
  integer().default('ten')
  // @ts-expect-error Argument of type '"c"' is not assignable to parameter of type '"a" | "b"'.
  oneOf('a', 'b').default('c')
  // @ts-expect-error Type 'string' is not assignable to type 'readonly string[]'.
  command({ description: 'x', aliases: 'p', run })
  const { description } = command({ description: 'x', aliases: ['p'], hidden: true, examples: [''], run })
  expect(description).toBe('x')
})

test('ctx.args and ctx.params have the types of the declaration', () => {
  command({
    description: 'x',
    args: {
      question: text(),
      minutes: integer().default(10),
      tell: user().optional(),
      mode: oneOf('a', 'b'),
      all: list(number()),
      words: list(),
      few: list(oneOf('a', 'b'), { max: 3 }).default(['a']),
    },
    run: (ctx) => {
      expectTypeOf(ctx.args.question).toEqualTypeOf<string>()
      expectTypeOf(ctx.args.minutes).toEqualTypeOf<number>()
      expectTypeOf(ctx.args.tell).toEqualTypeOf<string | undefined>()
      expectTypeOf(ctx.args.mode).toEqualTypeOf<'a' | 'b'>()
      expectTypeOf(ctx.args.all).toEqualTypeOf<number[]>()
      expectTypeOf(ctx.args.words).toEqualTypeOf<string[]>()
      expectTypeOf(ctx.args.few).toEqualTypeOf<('a' | 'b')[]>()
      // @ts-expect-error unknown arg
      void ctx.args.other
    },
  })
  const vote = button({
    params: { poll: uuid(), choice: oneOf('yes', 'no') },
    run: (ctx) => void expectTypeOf(ctx.params.choice).toEqualTypeOf<'yes' | 'no'>(),
  })
  // @ts-expect-error maybe is not a choice
  expect(() => vote.button({ poll: '', choice: 'maybe' }, { label: 'x' })).toThrow('this button has no file')
  button({ run: (ctx) => void expectTypeOf(ctx.params).toEqualTypeOf<string>() })
  command({
    description: 'x',
    args: { minutes: integer() },
    guards: [cooldown('1m'), serverOnly()],
    run: (ctx) => {
      expectTypeOf(ctx.server_id).toEqualTypeOf<string>()
      expectTypeOf(ctx.args.minutes).toEqualTypeOf<number>()
    },
  })
  command({
    description: 'x',
    guards: [dmOnly()],
    run: (ctx) => void expectTypeOf(ctx.server_id).toEqualTypeOf<null>(),
  })
  command({
    description: 'x',
    guards: [anyOf([serverOnly(), ownerOnly()])],
    run: (ctx) => void expectTypeOf(ctx.server_id).toEqualTypeOf<string | null>(),
  })
  button({
    params: { poll: uuid() },
    guards: [hasRole('Staff')],
    run: (ctx) => {
      expectTypeOf(ctx.server_id).toEqualTypeOf<string>()
      expectTypeOf(ctx.params.poll).toEqualTypeOf<string>()
    },
  })
  button({ run: (ctx) => void expectTypeOf(ctx.server_id).toEqualTypeOf<string | null>() })
  event('message', {
    guards: [serverOnly()],
    run: (ctx) => void expectTypeOf(ctx.server_id).toEqualTypeOf<string>(),
  })
  event('reaction_add', (ctx) => void expectTypeOf(ctx.server_id).toEqualTypeOf<string | null>())
  event('voice_join', (ctx) => void expectTypeOf(ctx.server_id).toEqualTypeOf<string>())
  event('member_join', (ctx) => void expectTypeOf(ctx.event.member_count).toEqualTypeOf<number>())
  event('ready', (ctx) => void expectTypeOf(ctx.me.username).toEqualTypeOf<string>())
  // These files have no one to reply to: the result of a call may be returned, a message may not.
  event('ready', (ctx) => ctx.schedule('reminders', { in: '1h' }))
  event('ready', (ctx) => ctx.send('c1', 'Here I am'))
  event('ready', (ctx) => Promise.all([ctx.dm('u1', 'Here I am'), ctx.unschedule('x')]))
  event('shutdown', (ctx) => ctx.api.servers.list())
  // @ts-expect-error Type 'string' is not assignable to type 'undefined'.
  event('ready', () => ({ content: 'Here I am' }))
  event('message', {
    match: '(?<=#)BUG-(?<id>\\d+)(?<note>!)?',
    when: [mentioned(), (ctx) => ctx.content !== ''],
    run: (ctx) => {
      expectTypeOf(ctx.match.groups).toEqualTypeOf<Readonly<Record<'id' | 'note', string>>>()
      // @ts-expect-error Property 'other' does not exist on type 'Readonly<Record<"id" | "note", string>>'.
      void ctx.match.groups.other
    },
  })
  event('message', {
    match: /BUG-(?<id>\d+)/,
    when: directMessage(),
    run(ctx) {
      expectTypeOf(ctx.match.groups).toEqualTypeOf<Readonly<Record<string, string>>>()
      expectTypeOf(ctx.server_id).toEqualTypeOf<null>()
    },
  })
  event('reaction_add', {
    when: [emoji('⭐'), from('mods')],
    run: (ctx) => void expectTypeOf(ctx.server_id).toEqualTypeOf<string>(),
  })
  event('reaction_add', {
    when: async (ctx) => ctx.event.emoji === '⭐',
    run: (ctx) => void expectTypeOf(ctx.event.emoji).toEqualTypeOf<string>(),
  })
  // @ts-expect-error Property 'match' does not exist on type 'MessageContext<string | null>'.
  event('message', { otherwise: true, run: (ctx) => void ctx.match })
  // @ts-expect-error Type 'RegExp' is not assignable to type 'undefined'.
  event('member_join', { match: /a/, run: () => {} })
  middleware(async (ctx, next) => (ctx.server_id === null ? 'Only in servers' : next()))
  expect(row(button.link({ label: 'Docs', url: 'https://example.com' })).components).toHaveLength(1)
})

test('a message with buttons does not compile as an ephemeral message, even from a variable', () => {
  const message = { content: 'Read this', components: [row(button.link({ label: 'More', url: 'https://x.test' }))] }
  const { run } = command({
    description: 'x',
    // @ts-expect-error Types of property 'components' are incompatible.
    run: (ctx) => ctx.ephemeral(message).then(() => ctx.ephemeral({ content: 'only text' })),
  })
  expect(run).toBeTypeOf('function')
})

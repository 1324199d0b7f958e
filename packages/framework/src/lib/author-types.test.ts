import { expect, expectTypeOf, test } from 'vitest'
import {
  boolean,
  button,
  channel,
  command,
  event,
  integer,
  list,
  middleware,
  number,
  oneOf,
  rest,
  row,
  text,
  user,
  uuid,
} from '../index.ts'
import { readArgs } from './args/read-args.ts'

test('ctx.args and ctx.params are typed by what the file asks for', () => {
  command({
    description: 'x',
    args: {
      question: text(),
      minutes: integer().default(10),
      tell: user().optional(),
      mode: oneOf('a', 'b'),
      all: list(number()),
    },
    run: (ctx) => {
      expectTypeOf(ctx.args.question).toEqualTypeOf<string>()
      expectTypeOf(ctx.args.minutes).toEqualTypeOf<number>()
      expectTypeOf(ctx.args.tell).toEqualTypeOf<string | undefined>()
      expectTypeOf(ctx.args.mode).toEqualTypeOf<'a' | 'b'>()
      expectTypeOf(ctx.args.all).toEqualTypeOf<number[]>()
      // @ts-expect-error there is no such arg
      void ctx.args.other
    },
  })
  const vote = button({
    params: { poll: uuid(), choice: oneOf('yes', 'no') },
    run: (ctx) => expectTypeOf(ctx.params.choice).toEqualTypeOf<'yes' | 'no'>(),
  })
  // @ts-expect-error maybe is no choice
  expect(() => vote.button({ poll: '', choice: 'maybe' }, { label: 'x' })).toThrow('belongs to no file')
  button({ run: (ctx) => expectTypeOf(ctx.params).toEqualTypeOf<string>() })
  event('member_join', (ctx) => expectTypeOf(ctx.event.member_count).toEqualTypeOf<number>())
  event('ready', (ctx) => expectTypeOf(ctx.me.username).toEqualTypeOf<string>())
  middleware(async (ctx, next) => (ctx.server_id === null ? 'Only in servers' : next()))
  expect(row(button.link({ label: 'Docs', url: 'https://example.com' })).components).toHaveLength(1)
})

const id = '0194f3a0-1234-7abc-8def-0123456789ab'

test.each([
  ['one two', { a: text(), b: rest() }, { a: 'one', b: 'two' }],
  ['x  keeps   its "blanks"', { a: text(), b: rest() }, { a: 'x', b: 'keeps   its "blanks"' }],
  ['“curly quotes” "a \\"b\\""', { a: text(), b: text() }, { a: 'curly quotes', b: 'a "b"' }],
  ['--b="two words" one', { a: text(), b: text() }, { a: 'one', b: 'two words' }],
  ['-- --no', { a: text(), s: boolean() }, { a: '--no', s: false }],
  ['--no-s', { s: boolean().default(true) }, { s: false }],
  [`<@${id}> <#${id}>`, { a: user(), b: channel() }, { a: id, b: id }],
  ['1,5 -2', { a: number(), b: integer() }, { a: 1.5, b: -2 }],
  ['YES', { a: oneOf('yes', 'no') }, { a: 'yes' }],
  ['"a b" c', { a: list(text(), { max: 2 }) }, { a: ['a b', 'c'] }],
  ['', { a: text().optional(), b: list(text(), { min: 0 }) }, { a: undefined, b: [] }],
])('%j is read', (typed, shape, args) => {
  expect(readArgs(shape, typed, '/x')).toEqual(args)
})

test.each([
  ['', { a: text() }, 'a is missing\nUsage: /x <a>'],
  ['a b', { a: text() }, 'that is more than fits; put "quotes" around texts of several words\nUsage: /x <a>'],
  ['yess', { a: oneOf('yes', 'no') }, 'a must be yes or no; did you mean yes?\nUsage: /x <a>'],
  ['--sekret', { secret: boolean() }, 'there is no such flag; did you mean --secret?\nUsage: /x [--secret]'],
  ['--a', { a: text() }, '--a needs a value\nUsage: /x <a>'],
  ['--a 1 --a 2', { a: text() }, '--a is there twice\nUsage: /x <a>'],
  ['1e3', { a: integer({ min: 1 }) }, 'a must be a whole number of at least 1\nUsage: /x <a>'],
  ['', { a: list() }, 'a is missing\nUsage: /x <a...>'],
  ['@everyone', { a: user() }, 'a must be a person: mention one\nUsage: /x <a>'],
])('%j is refused', (typed, shape, message) => {
  expect(() => readArgs(shape, typed, '/x')).toThrow(expect.objectContaining({ code: 'ERR_ARGS', message }))
})

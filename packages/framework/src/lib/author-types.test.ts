import { expect, expectTypeOf, test } from 'vitest'
import { button, command, event, integer, list, middleware, number, oneOf, row, text, user, uuid } from '../index.ts'

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

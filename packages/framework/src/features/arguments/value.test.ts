import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { ArgsOf } from '../../author/args/arg.ts'
import { list } from './kinds.ts'
import { read } from '../../author/args/place.test.fixture.ts'
import { usageOf } from '../../author/args/usage.ts'
import { inEnglish } from '../../author/texts/phrase.ts'
import { value } from './value.ts'

test.each([
  ['ann@example.com', z.email(), 'ann@example.com'],
  ['5', z.number().int(), 5],
  ['5', z.coerce.number(), 5],
  ['5', z.string(), '5'],
  ['\u22125', z.number(), -5],
  ['１２', z.coerce.number(), 12],
  ['TRUE', z.boolean(), true],
  ['2026-01-01', z.iso.date(), '2026-01-01'],
  ['2026-01-01', z.coerce.date(), new Date('2026-01-01')],
  ['a-b', z.string().transform((text) => text.split('-')), ['a', 'b']],
  ['b', z.enum(['a', 'b']), 'b'],
  ['b', z.union([z.literal('a'), z.literal('b')]).optional(), 'b'],
])('reads %s with a schema', (typed, schema, expected) => {
  expect(read({ a: value(schema) }, typed)).toEqual({ a: expected })
})

test("rejects a value with the author's message, or the schema's", () => {
  const errorOf = (schema: z.ZodType, typed: string, options?: { expects: string; example: string }) => {
    try {
      return read({ a: value(schema, options) }, typed)
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(errorOf(z.email(), 'ann')).toBe('a is not valid: invalid email address\nUsage: /x <a>')
  expect(errorOf(z.number().max(3), '5')).toBe('a is not valid: too big: expected number to be <=3\nUsage: /x <a>')
  expect(errorOf(z.email().describe('a mail address'), 'ann')).toBe('a must be a mail address\nUsage: /x <a>')
  expect(errorOf(z.email(), 'ann', { expects: 'a mail address', example: 'ann@example.com' })).toBe(
    'a must be a mail address\nUsage: /x <a>\nExample: /x ann@example.com',
  )
})

test('awaits an asynchronous schema', async () => {
  const free = z.string().refine((name) => Promise.resolve(name !== 'taken'), { error: 'Is taken' })
  expect(await read({ a: value(free), b: list(value(free)) }, 'x y z')).toEqual({ a: 'x', b: ['y', 'z'] })
  await expect(read({ a: value(free) }, 'taken')).rejects.toMatchObject({
    code: 'ERR_ARGS',
    message: 'a is not valid: is taken\nUsage: /x <a>',
  })
})

test('the type of a value is the output type of its schema', () => {
  const shape = {
    when: value(z.coerce.date()),
    size: value(z.number()).default(3),
    tag: value(z.enum(['a', 'b'])).optional(),
  }
  expect(Object.keys(shape)).toEqual(['when', 'size', 'tag'])
  expectTypeOf<ArgsOf<typeof shape>>().toEqualTypeOf<{
    readonly when: Date
    readonly size: number
    readonly tag: 'a' | 'b' | undefined
  }>()
  // @ts-expect-error Argument of type 'string' is not assignable to parameter of type 'number'.
  expect(value(z.number()).default('3').absent).toEqual({ value: '3' })
})

test('an optional zod schema makes the argument optional', async () => {
  let made = 0
  const shape = {
    size: value(z.int().default(5)),
    mail: value(z.email().optional().describe('a mail address')),
    id: value(z.string().default(() => `id ${++made}`)).flag(),
    free: value(
      z
        .string()
        .default('x')
        .refine(async (one) => one !== 'taken'),
    ),
    shout: value(
      z
        .string()
        .prefault('hi')
        .transform((one) => one.toUpperCase()),
    ),
  }
  expect(await read(shape, '')).toEqual({ size: 5, mail: undefined, id: 'id 1', free: 'x', shout: 'HI' })
  expect(await read(shape, '7 --id=z')).toMatchObject({ size: 7, id: 'z' })
  expect(made).toBe(1)
  const mail = z.email().describe('a mail address').optional()
  expect(() => read({ mail: value(mail) }, 'x')).toThrow('mail must be a mail address')
  expect(inEnglish(usageOf({ size: shape.size, mail: shape.mail, free: shape.free }))).toBe('[size=5] [mail] [free]')
  // A schema that accepts any input has no default.
  for (const schema of [z.coerce.string(), z.preprocess(String, z.string()), z.string().optional().nonoptional()])
    expect(() => read({ a: value(schema) }, '')).toThrow('a is missing')
  expectTypeOf<ArgsOf<typeof shape>['mail']>().toEqualTypeOf<string | undefined>()
})

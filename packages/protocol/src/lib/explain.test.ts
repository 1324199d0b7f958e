import { expect, test } from 'vitest'
import * as z from 'zod'
import { explain } from './explain.ts'

const wordsOf = (schema: z.ZodType, value: unknown) => explain(schema.safeParse(value).error!)

test.each<[z.ZodType, unknown, string]>([
  [z.string(), undefined, 'is required (string)'],
  [z.int(), undefined, 'is required (number)'],
  [z.string(), 5, 'must be a string, not a number'],
  [z.number(), 'x', 'must be a number, not a string'],
  [z.int(), 1.5, 'must be an integer'],
  [z.int(), 'x', 'must be a number, not a string'],
  [z.boolean(), 'x', 'must be true or false, not a string'],
  [z.string(), true, 'must be a string, not a boolean'],
  [z.object({}), [], 'must be an object, not an array'],
  [z.array(z.string()), {}, 'must be an array, not an object'],
  [z.date(), 'x', 'must be date, not a string'],
  [z.literal('a'), 'b', 'must be "a"'],
  [z.enum(['a', 'b', 'c']), 'd', 'must be one of "a", "b", "c"'],
])('%#: names the expected value', (schema, value, words) => {
  expect(wordsOf(schema, value)).toBe(words)
})

test.each<[z.ZodType, unknown, string]>([
  [z.string().min(1), '', 'must not be empty'],
  [z.string().min(2), 'a', 'must be at least 2 characters'],
  [z.array(z.string()).min(2), [], 'must not be empty'],
  [z.number().min(3), 2, 'must be at least 3'],
  [z.number().max(3), 4, 'must be at most 3'],
  [z.int(), Number.MIN_SAFE_INTEGER - 2, 'must be an integer'],
  [z.int(), Number.MAX_SAFE_INTEGER + 2, 'must be an integer'],
  [z.string().min(2, { error: 'is short' }), 'a', 'is short'],
  [z.string().regex(/a/, { error: 'Too big: not an a' }), 'b', 'Too big: not an a'],
  [z.string().regex(/a/, { error: 'Too small: not an a' }), 'b', 'Too small: not an a'],
])('%#: names the limit', (schema, value, words) => {
  expect(wordsOf(schema, value)).toBe(words)
})

test('names the field as in code, and lists at most five errors', () => {
  const schema = z.object({ a: z.array(z.object({ b: z.string() })) })
  expect(wordsOf(schema, { a: [{ b: 'x' }, {}] })).toBe('a[1].b: is required (string)')
  expect(wordsOf(z.array(z.string()), [1])).toBe('[0]: must be a string, not a number')
  const listed = (count: number) => wordsOf(z.array(z.literal(1)), Array(count).fill(2))
  const five = [0, 1, 2, 3, 4].map((n) => `[${n}]: must be 1`).join('; ')
  expect(listed(5)).toBe(five)
  expect(listed(6)).toBe(`${five}; and 1 more`)
})

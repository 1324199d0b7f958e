import { expect, test } from 'vitest'
import { z } from 'zod'
import { state } from '../../features/state/state.ts'
import { misfitTexts } from './schema.ts'

const problemsOf = (schema: z.ZodType, value: unknown, options?: { secret?: boolean }): string[] =>
  misfitTexts(schema.safeParse(value).error!.issues, value, options)

test.each([
  [z.string(), undefined, 'it must be a string, but is missing'],
  [z.object({ due: z.string() }), {}, 'due must be a string, but is missing'],
  [z.object({ due: z.array(z.string()) }), { due: 'x' }, 'due must be a list, but is "x"'],
  [z.object({ copies: z.int() }), { copies: 0.5 }, 'copies must be a whole number, but is 0.5'],
  [z.object({ kind: z.enum(['a', 'b']) }), { kind: 'c' }, 'kind must be one of "a"|"b", but is "c"'],
  [z.object({ due: z.iso.date() }), { due: 'soon' }, 'due is "soon": invalid ISO date'],
  [z.object({ n: z.number().min(3) }), { n: 2 }, 'n is 2: too small: expected number to be >=3'],
  [z.object({ n: z.number({ error: 'must be odd' }) }), { n: [1] }, 'n must be odd, but is a list of 1'],
  [z.object({ n: z.union([z.string(), z.number()]) }), { n: null }, 'n is not valid: null'],
  [z.strictObject({}), { zz: 1 }, 'it has unknown fields: "zz"'],
  [z.object({ text: z.email() }), { text: 'x'.repeat(60) }, `text is "${'x'.repeat(39)}…": invalid email address`],
])('%#: the error is one sentence', (schema, value, text) => {
  expect(problemsOf(schema, value)).toEqual([text])
})

test('reads errors of valibot, whose paths consist of objects', () => {
  const issues = [
    { message: 'Invalid type: Expected string but received undefined', path: [{ key: 'due' }] },
    { message: 'Invalid date: Received "soon"', path: [{ key: 'from' }] },
  ]
  const texts = ['due must be a string, but is missing', 'from is "soon": invalid date: Received "soon"']
  expect(misfitTexts(issues, { from: 'soon' })).toEqual(texts)
})

test('reports each field once, and at most three fields', () => {
  const books = z.record(z.string(), z.object({ due: z.string().min(9).regex(/^\d+$/) }))
  expect(problemsOf(books, { Emma: { due: 'x' } })).toEqual([
    'Emma.due is "x": too small: expected string to have >=9 characters',
  ])
  const many = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, {}]))
  expect(problemsOf(books, many)).toEqual([
    'a.due must be a string, but is missing',
    'b.due must be a string, but is missing',
    'c.due must be a string, but is missing',
    '4 more fields are not valid',
  ])
})

test('shows texts that may be secret by their length', () => {
  expect(problemsOf(z.object({ key: z.number() }), { key: 'hunter2' }, { secret: true })).toEqual([
    'key must be a number, but is a string of 7 characters',
  ])
  expect(problemsOf(z.object({ key: z.number() }), { key: 'x' }, { secret: true })).toEqual([
    'key must be a number, but is a string of 1 character',
  ])
})

test('the types follow the declaration', () => {
  // @ts-expect-error the initial value fits the schema
  state({ scope: 'user', name: 'a', schema: z.object({ n: z.number() }), initial: { n: 'x' } })
  // @ts-expect-error unknown scope
  expect(() => state({ scope: 'planet', name: 'a', initial: 1 })).toThrow('scope must be one of')
  // @ts-expect-error a duration
  expect(() => state({ scope: 'user', name: 'a', initial: 1, expires: 'soon' })).toThrow(/expires/)
})

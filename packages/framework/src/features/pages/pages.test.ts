import { expect, test } from 'vitest'
import { integer, pages, text, uuid } from '../../index.ts'
import { customIdProblem } from '../../author/buttons/custom-id.ts'
import { paramTypes } from '../../author/params/param-types.ts'
import type { Context } from '../../author/context.ts'
import { place } from '../../author/definition.ts'

const load = () => ({ lines: [] })

test.each([
  [{ load, size: 0 }, 'size must be a whole number from 1, but is 0'],
  [{ load, by: 'me' as 'asker' }, "by must be 'asker' or 'anyone'"],
  [{ load: undefined as never }, 'has no load: give it the function that loads a page'],
  [{ load, params: { turn: integer() } }, 'the parameter "turn" is the page itself: choose another name'],
  [{ load, para: {} }, 'unknown field "para"; did you mean params?'],
])('rejects a wrong declaration: %o', (options, problem) => {
  expect(pages(options).problem).toBe(problem)
})

test('the page and the asker leave 69 characters for a name and params', () => {
  const asked = pages({ load, params: { id: uuid() } })
  expect(customIdProblem('x'.repeat(47), asked.params)).toBeUndefined()
  expect(customIdProblem('x'.repeat(48), asked.params)).toContain('can have 101 characters')
})

test('params without a maximum length are in the store', () => {
  expect(pages({ load, params: { season: text() } }).spillMs).toBe(30 * 24 * 60 * 60_000)
  expect(pages({ load, params: { season: text({ max: 20 }) } }).spillMs).toBeUndefined()
})

test('generated types show only the params of the author', () => {
  expect(paramTypes(pages({ load, params: { season: text() } }).params)).toEqual({ season: 'string' })
  expect(paramTypes(pages({ load }).params)).toBeUndefined()
})

test('params are typed, and may be omitted if all of them are optional', () => {
  const season = pages({ load: (_, { params }) => ({ lines: [params.season.trim()] }), params: { season: text() } })
  const all = pages({ load, params: { season: text().optional() } })
  /** Compiled, and never run. */
  const compiled = (ctx: Context) => {
    void season.first(ctx, { season: 'spring' })
    void all.first(ctx)
    void pages({ load }).first(ctx)
    // @ts-expect-error season is missing
    void season.first(ctx)
    // @ts-expect-error a year is not a season
    void season.first(ctx, { season: 2026 })
  }
  expect(compiled).toBeTypeOf('function')
})

test('a list without a file reports it', async () => {
  const ctx = { user: { id: '0194f3a0-1234-7abc-8def-0123456789ab' } } as Context
  await expect(pages({ load }).first(ctx)).rejects.toThrow(
    'these pages have no file: make them the default export of a file under buttons/',
  )
})

test.each([
  [50, 80],
  [1500, 10],
  [3000, 10],
  [5000, 10],
])('%i long lines fit into an embed, and stay legible', async (count, length) => {
  const lines = Array.from({ length: count }, () => 'x'.repeat(100))
  const list = pages({ load: () => ({ lines }), size: count, by: 'anyone' })
  list[place] = { name: 'all', file: 'buttons/all.ts' }
  const { description = '' } = (await list.first({} as Context)).embeds![0]!
  expect(description.length).toBeLessThanOrEqual(4096)
  expect(description.split('\n')[0]).toBe(`${'x'.repeat(length - 1)}…`)
})

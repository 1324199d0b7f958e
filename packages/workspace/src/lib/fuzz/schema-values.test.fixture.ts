import fc from 'fast-check'

/** The part of JSON Schema that the interface's documents use. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
  format?: string
}

/** Values that break readers: wrong types, half surrogate pairs, numbers outside all ranges, keys that every object already has. */
const wrong: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    -0,
    2 ** 53,
    '',
    ' ',
    '\0',
    '\ud800',
    'x'.repeat(5000),
    [],
    {},
    [[]],
  ),
  fc.constantFrom<unknown>(
    '🙂'.repeat(33),
    '\u202e\u0000\ufeff',
    '__proto__',
    "'; DROP TABLE messages; --",
    '<script>',
    '%00',
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{}},"toString":1}') as unknown),
)

/** Texts around a limit: one below, exactly, one above, in characters of one and of four bytes. */
const around = (limit: number): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(limit - 1, limit, limit + 1), fc.constantFrom('x', '🙂', 'é'))
    .map(([count, character]) => character.repeat(Math.max(count, 0)))

const links = [
  'https://cdn.example.com/a.png',
  'https://evil.example/a.png',
  'http://127.0.0.1:1/uploads/a.png',
  'javascript:alert(1)',
  'https://user:pw@i.imgur.com/%zz',
  'https://[::1]/',
]

/** The ids for a field name. */
export type IdsFor = (name: string) => fc.Arbitrary<string>

/** Generates values for a schema, mostly valid ones. `ids` are existing ids. */
export function valuesOf(
  schema: JsonSchema,
  ids: IdsFor,
  named: Record<string, JsonSchema>,
  field = 'any',
): fc.Arbitrary<unknown> {
  const right = (one: JsonSchema, name: string): fc.Arbitrary<unknown> => {
    if (one.$ref !== undefined) return right(named[one.$ref.split('/').at(-1)!] ?? {}, name)
    if (one.const !== undefined) return fc.constant(one.const)
    if (one.enum) return fc.constantFrom(...one.enum)
    const options = one.anyOf ?? one.oneOf
    if (options) return fc.oneof(...options.map((each) => any(each, name)))
    if (one.allOf) {
      const parts = one.allOf.map((each) => right(each, name))
      return fc.tuple(...parts).map((all) => Object.assign({}, ...all) as object)
    }
    const type = Array.isArray(one.type) ? one.type[0] : one.type
    if (type === 'object' || one.properties) return objectOf(one)
    if (type === 'array') {
      const max = one.maxItems ?? 6
      return fc.array(any(one.items ?? {}, name), { minLength: 0, maxLength: max < 12 ? max + 1 : 4 })
    }
    if (type === 'string') return textOf(one, ids(name))
    if (type === 'integer' || type === 'number') return numberOf(one)
    if (type === 'boolean') return fc.boolean()
    if (type === 'null') return fc.constant(null)
    return fc.jsonValue({ maxDepth: 2 })
  }
  const any = (one: JsonSchema, name: string): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 24, arbitrary: right(one, name) }, { weight: 1, arbitrary: wrong })
  const objectOf = (one: JsonSchema): fc.Arbitrary<unknown> => {
    const shape = Object.fromEntries(Object.entries(one.properties ?? {}).map(([key, value]) => [key, any(value, key)]))
    const required = (one.required ?? []).filter((key) => key in shape)
    const whole = fc.record(shape, { requiredKeys: required })
    return fc.oneof({ weight: 12, arbitrary: whole }, { weight: 1, arbitrary: fc.record(shape, { requiredKeys: [] }) })
  }
  return any(schema, field)
}

function textOf(one: JsonSchema, ids: fc.Arbitrary<string>): fc.Arbitrary<string> {
  if (one.format === 'uuid' || /^\^\(?\[0-9a-f/i.test(one.pattern ?? '')) return ids
  if (one.format === 'uri') return fc.constantFrom(...links)
  if (one.format === 'date-time') {
    return fc.constantFrom(
      '2026-01-01T00:00:00.000Z',
      '2026-01-01',
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59+14:00',
    )
  }
  if (one.pattern !== undefined) {
    try {
      return fc.stringMatching(new RegExp(one.pattern, 'u'))
    } catch {
      return fc.string()
    }
  }
  const plain = fc.string({ maxLength: 40, unit: 'grapheme' })
  const limits = [one.minLength, one.maxLength].filter((limit) => limit !== undefined)
  return fc.oneof(
    { weight: 4, arbitrary: plain },
    ...limits.map(around),
    fc.constantFrom('👍', '❤️', 'hello', 'person'),
  )
}

function numberOf({ minimum = -10, maximum = 10 }: JsonSchema): fc.Arbitrary<number> {
  const ends = [minimum - 1, minimum, minimum + 1, maximum - 1, maximum, maximum + 1]
  return fc.oneof(fc.constantFrom(...ends), fc.integer({ min: -5, max: 40 }))
}

import fc from 'fast-check'
import { hasCode } from '../error-code.ts'
import type { Arg, ArgsOf, ArgsShape } from './arg.ts'
import { boolean, integer, list, number, oneOf, rest, text, uuid } from '../../features/arguments/kinds.ts'
import { channel, user } from '../../features/mentions/mentions.ts'
import { date, duration } from '../../features/moments/moments.ts'
import { place } from './place.test.fixture.ts'
import { argsReader } from './read-args.ts'
import { quoteWord } from '../texts/typed-words.ts'

/** Every kind together; short and long names, optional ones, flags. */
const shapes = [
  { a: text(), b: integer({ min: -5, max: 500 }), c: rest({ max: 100 }).optional() },
  { when: date(), long: duration().default('1m'), loud: boolean(), tags: list(text(), { min: 0 }).flag() },
  {
    who: uuid(),
    mode: oneOf('on', 'off', '--', '"x y"').optional(),
    n: number().flag().optional(),
    all: list(text(), { min: 0 }),
  },
  { timeLimit: duration().optional(), note: text().default('two words'), more: list(number(), { min: 0, max: 4 }) },
  { person: user().optional(), where: channel().optional(), words: rest().optional() },
]

const odd = fc.constantFrom(
  ...[
    ' ',
    '  ',
    '\n',
    '\t',
    '\u00a0',
    '"',
    "'",
    '“',
    '”',
    '„',
    '«',
    '»',
    '‘',
    '’',
    '\\',
    '\\"',
    '--',
    '—',
    '--a',
    '--no-loud',
    '=',
    '--long=',
    '--n',
  ],
  ...[
    'tomorrow',
    '18:00',
    'in',
    '2h',
    '1m',
    '5',
    '-5',
    '1e9',
    '<@',
    '>',
    '<#',
    '@ann',
    '\ud800',
    '\u0000',
    '__proto__',
    'constructor',
    '🙂',
    '2026-01-01',
  ],
)
const typed = fc.oneof(
  fc
    .array(fc.oneof({ weight: 3, arbitrary: odd }, fc.string({ unit: 'binary', maxLength: 12 })), { maxLength: 20 })
    .map((parts) => parts.join('')),
  fc.array(odd, { maxLength: 25 }).map((parts) => parts.join(' ')),
  fc.string({ unit: 'binary', maxLength: 200 }),
)

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.array(odd, { maxLength: 6 }).map((parts) => parts.join('')),
)
const uuids = fc.uuid()
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })
const dates = fc
  .date({ min: new Date('1000-01-01'), max: new Date('9999-01-01'), noInvalidDate: true })
  .map((one) => new Date(Math.floor(one.getTime() / 1000) * 1000))
const spans = fc.nat(10 ** 10)
const doubles = fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => (one === 0 ? 0 : one))
const trimmed = anyText.filter((one) => one.trim() !== '')

const values: readonly fc.Arbitrary<Record<string, unknown>>[] = [
  fc.record({ a: anyText, b: fc.integer({ min: -5, max: 500 }), c: maybe(trimmed) }),
  fc.record({ when: dates, long: spans, loud: fc.boolean(), tags: fc.array(anyText) }),
  fc.record({
    who: uuids,
    mode: maybe(fc.constantFrom('on', 'off', '--', '"x y"')),
    n: maybe(doubles),
    all: fc.array(anyText),
  }),
  fc.record({ timeLimit: maybe(spans), note: anyText, more: fc.array(doubles, { maxLength: 4 }) }),
  fc.record({ person: maybe(uuids), where: maybe(uuids), words: maybe(trimmed) }),
]

const readers = shapes.map((shape) => argsReader(shape as Record<string, Arg<unknown>>))

/** Reads `count` generated texts. Throws, with its seed, on any error but `ERR_ARGS`. */
export async function readGenerated(count: number, seed: number): Promise<{ read: number; refused: number }> {
  const counts = { read: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(typed, fc.nat(shapes.length - 1), async (text, i) => {
      try {
        await readers[i]!(text, place, '/x')
        counts.read++
      } catch (error) {
        // Names need a service for the lookup, and there is none here.
        if (!hasCode(error, 'ERR_ARGS') && (error as Error).message !== 'the service was asked') throw error
        if (hasCode(error, 'ERR_ARGS') && error.message.length > 600) throw new Error('what was typed came back')
        counts.refused++
      }
    }),
    { numRuns: count, seed },
  )
  return counts
}

/** Writes `count` generated sets of values as a user would type them, and reads them back. Throws, with its seed, if they differ. */
export async function readWritten(
  count: number,
  seed: number,
  equal: (read: unknown, written: unknown) => void,
): Promise<void> {
  const cases = fc.nat(shapes.length - 1).chain((i) => fc.tuple(fc.constant(i), values[i]!))
  await fc.assert(
    fc.asyncProperty(cases, async ([i, written]) => {
      const shape = shapes[i] as unknown as Record<string, Arg<unknown>>
      equal(await readers[i]!(writeArgs(shape, written), place, '/x'), written)
    }),
    { numRuns: count, seed },
  )
}

/** Values as a user would type them after a command, quoted where needed. The reader of the same args parses them. */
export function writeArgs<S extends ArgsShape>(shape: S, values: Partial<ArgsOf<S>>): string {
  const words: string[] = []
  // After an omitted arg, the others are passed by name.
  let gap = false
  // After a value that may have several words, such as `1h 30m`, quote the next one: it could be part of it.
  let open = false
  for (const [name, arg] of Object.entries(shape)) {
    const value = (values as Record<string, unknown>)[name]
    if (value === undefined) {
      gap = true
      continue
    }
    const typed = arg.write(value)
    if (arg.takes === 'flag' || arg.named || gap) words.push(...typed.map((word) => `--${name}=${quoteWord(word)}`))
    else {
      words.push(...typed.map((word) => quoteWord(word, open)))
      open = arg.takes === 'word' && arg.mostWords > 1
    }
  }
  return words.join(' ')
}

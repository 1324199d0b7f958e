import { expect, test } from 'vitest'
import { button } from '../button.ts'
import { arg, misfit } from './arg.ts'
import { boolean, integer, list, number, oneOf, rest, text, uuid } from '../../features/arguments/kinds.ts'
import { channel, role, user } from '../../features/mentions/mentions.ts'
import { date, duration } from '../../features/moments/moments.ts'
import { read } from './place.test.fixture.ts'
import { argsProblem } from './read-args.ts'

const id = '0194f3a0-1234-7abc-8def-0123456789ab'

test.each([
  ['one two', { a: text(), b: rest() }, { a: 'one', b: 'two' }],
  ['x  keeps   its "blanks"', { a: text(), b: rest() }, { a: 'x', b: 'keeps   its "blanks"' }],
  ['“curly quotes” "a \\"b\\""', { a: text(), b: text() }, { a: 'curly quotes', b: 'a "b"' }],
  ['--b="two words" one', { a: text(), b: text() }, { a: 'one', b: 'two words' }],
  ['-- --no', { a: text(), s: boolean() }, { a: '--no', s: false }],
  ['--no-s', { s: boolean().default(true) }, { s: false }],
  ['--s=off', { s: boolean() }, { s: false }],
  [`<@${id}> <#${id}>`, { a: user(), b: channel() }, { a: id, b: id }],
  [`<@!${id.toUpperCase()}> ${id}`, { a: user(), b: uuid() }, { a: id, b: id }],
  [id.toUpperCase(), { a: role() }, { a: id }],
  ['1,5 -2', { a: number(), b: integer() }, { a: 1.5, b: -2 }],
  ['YES', { a: oneOf('yes', 'no') }, { a: 'yes' }],
  ['"a b" c', { a: list(text(), { max: 2 }) }, { a: ['a b', 'c'] }],
  ['', { a: text().optional(), b: list(text(), { min: 0 }) }, { a: undefined, b: [] }],
  ['--tag a one --tag=b', { a: text(), tag: list(text(), { min: 0 }).flag() }, { a: 'one', tag: ['a', 'b'] }],
  ['--time-limit 5 x', { timeLimit: integer().flag(), a: text() }, { timeLimit: 5, a: 'x' }],
  ['—loud hi – there', { loud: boolean(), a: rest() }, { loud: true, a: 'hi – there' }],
  [
    'first line\n\n- say "hi  there"   --loud',
    { a: rest(), loud: boolean() },
    { a: 'first line\n\n- say "hi  there"', loud: true },
  ],
  ['a  b --n 5\nc  d', { a: rest(), n: integer().flag() }, { a: 'a  b\nc  d', n: 5 }],
  ['a  b -- --loud  c', { a: rest(), loud: boolean() }, { a: 'a  b --loud  c', loud: false }],
  ['--a=--loud', { a: text(), loud: boolean() }, { a: '--loud', loud: false }],
  // Quoted characters that people do not see are meant.
  ['--a="\u2060" "\u200b"', { a: text(), b: text() }, { a: '\u2060', b: '\u200b' }],
  ['\u2060--a=x\u2060', { a: text() }, { a: 'x' }],
  ['--a "--loud"', { a: text(), loud: boolean() }, { a: '--loud', loud: false }],
  ['use --force, always', { a: rest(), loud: boolean() }, { a: 'use --force, always', loud: false }],
  [
    "don't 'two words' rock 'n' roll",
    { a: text(), b: text(), c: rest() },
    { a: "don't", b: 'two words', c: "rock 'n' roll" },
  ],
])('reads %j', (typed, shape, args) => {
  expect(read(shape, typed)).toEqual(args)
})

const [zero, rtl, open, close] = ['\u200B', '\u200F', '\u2068', '\u2069']
test.each([
  [`${open}<@${id}>${close} ${zero}5${rtl}`, { a: user(), n: integer() }, { a: id, n: 5 }],
  [`${rtl}--loud yes${zero}`, { loud: boolean(), a: oneOf('yes', 'no') }, { loud: true, a: 'yes' }],
  [`${zero}"two words"${rtl} ${rtl}10m${zero}`, { a: text(), b: duration() }, { a: 'two words', b: 600_000 }],
  [`${zero} 1 ${rtl}`, { n: integer() }, { n: 1 }],
  [`1${zero} ${zero}2`, { n: list(integer(), { max: 2 }) }, { n: [1, 2] }],
  [`${zero}1h${zero} ${rtl}30m`, { b: duration() }, { b: 5_400_000 }],
  [`${id}${zero}`, { a: uuid() }, { a: id }],
  [`red${zero}`, { a: arg({ expects: 'a color', read: (typed) => typed }) }, { a: 'red' }],
  // Text is not changed.
  [`${zero}a${rtl} ${zero}b`, { a: text(), b: rest() }, { a: `${zero}a${rtl}`, b: `${zero}b` }],
])('ignores zero-width and direction characters around a word: %j', (typed, shape, args) => {
  expect(read(shape, typed)).toEqual(args)
})

test.each([
  ['\u22125 \u20135,5', { a: integer(), b: number() }, { a: -5, b: -5.5 }],
  ['１２ ＋３．５', { a: integer(), b: number() }, { a: 12, b: 3.5 }],
  ['－１ ١٢٫٥', { a: integer(), b: number() }, { a: -1, b: 12.5 }],
  ['४२ 𝟗', { a: integer(), b: integer() }, { a: 42, b: 9 }],
  ['１０m ١h', { a: duration(), b: duration() }, { a: 600_000, b: 3_600_000 }],
  ['１．５ｈ 1٫5h', { a: duration(), b: duration() }, { a: 5_400_000, b: 5_400_000 }],
  ['２０２６－０３－０１ １８：００', { a: date() }, { a: new Date('2026-03-01T18:00Z') }],
  [
    '2026‑03‑01T18:00−05:00 2026–03–01',
    { a: date(), b: date() },
    { a: new Date('2026-03-01T23:00Z'), b: new Date('2026-03-01') },
  ],
])('reads the numbers of other keyboards: %j', (typed, shape, args) => {
  expect(read(shape, typed)).toEqual(args)
})

test.each(['²', '½', '--5', '1\u22125', '١x'])('does not read %j as a whole number', (typed) => {
  expect(() => read({ a: integer() }, typed)).toThrow('a must be a whole number')
})

test('a comma that may be that of thousands or of decimals is refused', () => {
  for (const typed of ['1,000', '-12,500', '999,999', '１，０００', '1,000,000'])
    expect(() => read({ a: number() }, typed)).toThrow('a must be a number')
  const shape = { a: list(number(), { max: 9 }) }
  expect(read(shape, '0,125 1,00 1.000 1000,125 1,0005 ١٫٠٠٠')).toEqual({ a: [0.125, 1, 1, 1000.125, 1.0005, 1] })
})

test('finds a word in full-width letters, as numbers and names are', () => {
  expect(read({ a: oneOf('red', 'light blue'), s: boolean() }, 'ｒＥｄ --s=ｙｅｓ')).toEqual({ a: 'red', s: true })
  // The exact word comes first.
  expect(read({ a: oneOf('red', 'ｒｅｄ') }, 'ｒｅｄ')).toEqual({ a: 'ｒｅｄ' })
})

test('finds a word in another Unicode form [spec: decisions/53]', () => {
  const shape = { a: oneOf('❤️', '👍', 'straße', 'café') }
  for (const [typed, word] of [
    ['\u2764', '❤️'],
    ['\u2764\uFE0F', '❤️'],
    ['cafe\u0301', 'café'],
    ['CAFÉ', 'café'],
    ['STRASSE', 'straße'],
  ] as const)
    expect(read(shape, typed)).toEqual({ a: word })
})

test.each([
  '"x y"',
  "'x y'",
  '“x y”',
  '“x y“',
  '”x y”',
  '„x y“',
  '„x y”',
  '‘x y’',
  '’x y’',
  '‚x y‘',
  '«x y»',
  '»x y«',
  '»x y»',
  '‹x y›',
  '›x y‹',
  '「x y」',
  '『x y』',
  '＂x y＂',
  '“x y"',
])('reads %s as one text', (typed) => {
  expect(read({ a: text(), b: text() }, `${typed} z`)).toEqual({ a: 'x y', b: 'z' })
})

test.each([
  ['', { a: text() }, 'a is missing: text\nUsage: /x <a>\nExample: /x "some words"'],
  [
    '"5',
    { a: integer() },
    'a must be a whole number\nthe quotation mark " is not closed; close it with "\nUsage: /x <a>\nExample: /x 5',
  ],
  [
    '“a b” «c d”',
    { a: text(), b: text(), n: integer() },
    'n must be a whole number\nthe quotation mark « is not closed; close it with »\nUsage: /x <a> <b> <n>\nExample: /x "some words" "some words" 5',
  ],
  [
    '--n „5',
    { n: integer() },
    'n must be a whole number\nthe quotation mark „ is not closed; close it with “\nUsage: /x <n>\nExample: /x 5',
  ],
  [
    "x 'tis",
    { n: integer(), a: rest() },
    'n must be a whole number\nUsage: /x <n> <a...>\nExample: /x 5 some more words',
  ],
  ['a b', { a: integer().optional() }, 'a must be a whole number\nUsage: /x [a]\nExample: /x 5'],
  [
    'a b',
    { a: text({ max: 4 }) },
    'too many arguments; put "quotes" around a text of several words\nUsage: /x <a>\nExample: /x some',
  ],
  [
    '"a b',
    { a: text() },
    'the quotation mark " is not closed; close it with "\nUsage: /x <a>\nExample: /x "some words"',
  ],
  ['yess', { a: oneOf('yes', 'no') }, 'a must be yes or no; did you mean yes?\nUsage: /x <yes|no>\nExample: /x yes'],
  ['--sekret', { secret: boolean() }, 'there is no such flag; did you mean --secret?\nUsage: /x [--secret]'],
  ['--no-a', { a: text() }, 'there is no such flag; did you mean --a?\nUsage: /x <a>\nExample: /x "some words"'],
  ['--a', { a: integer({ min: 9 }) }, '--a needs a value: a whole number of at least 9\nUsage: /x <a>\nExample: /x 9'],
  [
    '--a --loud',
    { a: text(), loud: boolean() },
    '--a needs a value: text\nUsage: /x <a> [--loud]\nExample: /x "some words"',
  ],
  ['--a -- x', { a: text() }, '--a needs a value: text\nUsage: /x <a>\nExample: /x "some words"'],
  [
    'tomorrow 24:00',
    { a: date() },
    'a must be a date or time, such as 2026-03-01 18:00, tomorrow 18:00 or in 2h, and nothing else\nUsage: /x <a>\nExample: /x tomorrow 18:00',
  ],
  ['--a 1 --a 2', { a: integer() }, '--a is given twice\nUsage: /x <a>\nExample: /x 5'],
  ['1e3', { a: integer({ min: 1 }) }, 'a must be a whole number of at least 1\nUsage: /x <a>\nExample: /x 5'],
  [
    '',
    { a: list(oneOf('b', 'c')) },
    'a is missing: one or more values, each b or c\nUsage: /x <a...>\nExample: /x b b',
  ],
  ['1 x', { a: list(integer(), { max: 3 }) }, 'a (item 2) must be a whole number\nUsage: /x <a...>\nExample: /x 5 5'],
  [
    '1',
    { a: list(integer(), { min: 2, max: 3 }) },
    'a must be 2 to 3 values, each a whole number\nUsage: /x <a...>\nExample: /x 5 5',
  ],
  ['@everyone', { a: user() }, 'a must be a person: mention one, or type a name\nUsage: /x <a>\nExample: /x @ann'],
  [
    '--n=x',
    { n: integer({ max: 3 }).flag().optional() },
    'n must be a whole number of at most 3\nUsage: /x [--n <number>]\nExample: /x --n=3',
  ],
  ['--on=maybe', { on: boolean().default(true) }, 'on must be yes or no\nUsage: /x [--no-on]\nExample: /x --on'],
])('rejects %j with the expected value, the usage and an example', (typed, shape, message) => {
  expect(() => read(shape, typed)).toThrow(expect.objectContaining({ code: 'ERR_ARGS', message }))
})

test("prefers the author's example to a generated one, and shows a default as it is typed", () => {
  const shape = { a: text().default('two words'), n: integer().default(3).flag(), all: list(text(), { min: 0 }) }
  expect(() => read(shape, '--n=x', ['"Tea?" --n=2'])).toThrow(
    'n must be a whole number\nUsage: /x [a="two words"] [--n=3] [all...]\nExample: /x "Tea?" --n=2',
  )
})

test('a custom argument describes the expected value, and may be asynchronous', async () => {
  const color = arg({
    expects: 'a color such as #ff0000',
    example: '#00ff00',
    read: async (typed) => {
      await Promise.resolve()
      if (!/^#[0-9a-f]{6}$/.test(typed)) throw misfit()
      return Number.parseInt(typed.slice(1), 16)
    },
    write: (value) => `#${value.toString(16)}`,
  })
  const shape = { a: color, b: color.default(255), all: list(color, { min: 0 }) }
  expect(await read(shape, '#000010 #000011 #000012 #000013')).toEqual({ a: 16, b: 17, all: [18, 19] })
  await expect(read(shape, 'x y')).rejects.toMatchObject({
    code: 'ERR_ARGS',
    message: 'a must be a color such as #ff0000\nUsage: /x <a> [b=#ff] [all...]\nExample: /x #00ff00',
  })
  await expect(read(shape, '#000000 #000000 x')).rejects.toThrow('all (item 1) must be a color')
})

test('an unknown flag within free text is text, unless it resembles a flag of the command', () => {
  const shape = { to: text(), loud: boolean(), timeLimit: integer().optional().flag(), what: rest() }
  const mistake = (typed: string) => {
    try {
      return read(shape, typed)
    } catch (error) {
      return (error as Error).message.split('\n')[0]
    }
  }
  const meant = (flag: string) => `there is no such flag; did you mean --${flag}? Everything after a lone -- is text.`
  for (const typed of ['--lou ben tea', 'ben --lou tea', 'ben tea --lou', 'ben tea --LOU=yes', 'ben tea --laud'])
    expect(mistake(typed)).toBe(meant('loud'))
  expect(mistake('ben tea --no-lou')).toBe(meant('no-loud'))
  expect(mistake('ben tea --time 5')).toBe(meant('timeLimit'))
  expect(mistake('ben tea --timeLimt=5')).toBe(meant('timeLimit'))
  expect(mistake('ben use --verbose')).toMatchObject({ what: 'use --verbose' })
  expect(mistake('ben -- tea --lou')).toMatchObject({ what: 'tea --lou', loud: false })
  expect(mistake('ben "tea --lou"')).toMatchObject({ what: 'tea --lou', loud: false })
  // A command without flags cannot have a mistyped flag.
  expect(read({ what: rest() }, '--wha tea')).toEqual({ what: '--wha tea' })
})

test('runs a check on values of every kind, sync and async, but not on omitted ones', async () => {
  const shape = {
    even: integer().check((value) => value % 2 === 0 || 'must be even'),
    day: date().check((day) => day.getUTCFullYear() > 2026),
    names: list(text().check(async (name) => name !== 'eve')).optional(),
  }
  expect(await read(shape, '4 2027-01-01 ann bob')).toEqual({
    even: 4,
    day: new Date('2027-01-01'),
    names: ['ann', 'bob'],
  })
  expect(await read(shape, '4 2027-01-01 18:00')).toMatchObject({ day: new Date('2027-01-01T18:00:00Z') })
  await expect(read(shape, '4 2027-01-01 ann eve')).rejects.toThrow(/^names \(item 2\) must be text\nUsage: \/x <even>/)
  await expect(read(shape, '4 2025-01-01 18:00')).rejects.toThrow(/^day must be a date or time\n/)
  expect(() => read(shape, '3 2027-01-01')).toThrow(/^even must be even\nUsage/)
  expect(
    await read(
      {
        a: text()
          .check(() => false)
          .optional(),
      },
      '',
    ),
  ).toEqual({ a: undefined })
  // @ts-expect-error a click is not checked again
  button({ params: { a: text({ max: 5 }).check(() => true) }, run: () => undefined })
})

test('does not blame the user for other failures', () => {
  const broken = arg({ expects: 'x', read: () => JSON.parse('{') as string })
  expect(() => read({ broken }, 'x')).toThrow(SyntaxError)
})

test.each([
  [{ '1a': text() }, 'the arg "1a" must be a word that begins with a letter'],
  [{ a: 5 as never }, 'the arg "a" must be created with text(), integer() or another kind'],
  [
    { timeLimit: text(), time_limit: text() },
    'the args "timeLimit" and "time_limit" are both typed --timeLimit; rename one',
  ],
  [{ a: rest(), b: text() }, 'the arg "b" comes after "a", which takes the rest of the text; put "a" last'],
  [{ a: text().optional(), b: text() }, 'the required arg "b" comes after "a", which is optional; put it before'],
])('%#: rejects invalid declarations of args', (shape, problem) => {
  expect(argsProblem(shape)).toBe(problem)
})

test('accepts a flag at any position', () => {
  expect(argsProblem({ a: rest().optional(), b: text().flag(), c: boolean() })).toBeUndefined()
})

test('rejects text that is longer than a message', () => {
  const shape = { tags: list(text(), { min: 0 }).flag(), words: rest() }
  expect(read(shape, 'a'.repeat(4000))).toEqual({ tags: [], words: 'a'.repeat(4000) })
  for (const part of ['--tags=a ', '--x ', 'a ', '" '])
    expect(() => read(shape, part.repeat(100_000))).toThrow(/^this is longer than a message can be\nUsage: \/x /)
})

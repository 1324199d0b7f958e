import { expect, test } from 'vitest'
import { explain } from '../explain.ts'
import { cutText, DisplayName, Emoji, HttpsLink, Id, Link, Name, QueryInteger, Reason, text, Time } from './fields.ts'
import { Command } from './resources.ts'
import { characters, cut, sameEmoji, shortened } from '../text/text.ts'
import { qualifiedEmoji, timeMs } from '../text/typed-text.ts'

const takes = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success

test('counts code points: an emoji outside the basic plane counts once (decisions row 45) [spec: decisions/45]', () => {
  expect(characters('')).toBe(0)
  expect(characters('größe')).toBe(5)
  expect('👍'.length).toBe(2)
  expect(characters('👍')).toBe(1)
  expect(characters('a👍b👍')).toBe(4)
  expect(characters('👨‍👩‍👧')).toBe(5)
})

test.each(['\ud83d', '\udc4d', 'a\ud83d', '\ud83d\ud83d\udc4d', '\udc4d\ud83d'])(
  'counts a lone surrogate as one character: %j',
  (value) => {
    expect(characters(value)).toBe(Array.from(value).length)
  },
)

test('cuts between code points', () => {
  expect(cut('👍👍👍', 2)).toBe('👍👍')
  expect(cut('abc', 2)).toBe('ab')
  expect(cut('ab', 2)).toBe('ab')
  expect(cutText(1).parse('👍a')).toBe('👍')
})

test('measures minimum and maximum in code points', () => {
  const two = text(2, 1)
  expect(takes(two, '')).toBe(false)
  expect(takes(two, 'a')).toBe(true)
  expect(takes(two, '👍👍')).toBe(true)
  expect(takes(two, '👍👍👍')).toBe(false)
  expect(explain(two.safeParse('').error!)).toBe('must not be empty')
  expect(explain(text(9, 2).safeParse('a').error!)).toBe('must be at least 2 characters')
  expect(explain(two.safeParse('abc').error!)).toBe('must be at most 2 characters')
})

test('an id is a UUID of any version, including those made up by tests', () => {
  expect(takes(Id, '00000000-0000-0000-0000-000000000001')).toBe(true)
  expect(takes(Id, '0b0e7a4e-6f5c-4d7c-9a53-3f1f4c1f6f10')).toBe(true)
  expect(takes(Id, '0B0E7A4E-6F5C-4D7C-9A53-3F1F4C1F6F10')).toBe(true)
  for (const wrong of ['', '1', '0b0e7a4e6f5c4d7c9a533f1f4c1f6f10', '00000000-0000-0000-0000-00000000000g', ' ', 1]) {
    expect(explain(Id.safeParse(wrong).error!)).toBe('must be a UUID')
  }
  expect(explain(Id.safeParse(undefined).error!)).toBe('is required (UUID)')
})

test.each([
  ['a face', '👍'],
  ['a skin tone', '👍🏽'],
  ['a skin tone on a character that shows as text', '\u{261D}\u{1F3FD}'],
  ['a flag of a country', '🇩🇪'],
  ['a flag of a region', '\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}'],
  ['a family', '👨‍👩‍👧'],
  ['a heart with its variation selector', '\u2764\uFE0F'],
  ['a heart without', '\u2764'],
  ['a keycap', '1\uFE0F\u20E3'],
  ['a keycap without its variation selector', '1\u20E3'],
  ['the keycap of the hash', '#\uFE0F\u20E3'],
  ['a flag of joined parts', '\u{1F3F3}\uFE0F\u200D\u{1F308}'],
  ['the same without its variation selector', '\u{1F3F3}\u200D\u{1F308}'],
  ['an eye in a bubble without its two', '\u{1F441}\u200D\u{1F5E8}'],
])('%s is one emoji', (_, value) => {
  expect(takes(Emoji, value)).toBe(true)
})

test.each([
  '',
  'a',
  '1',
  '#',
  '*',
  'ab',
  ':thumbsup:',
  '👍👍',
  '👍 ',
  ' 👍',
  '👍a',
  '🇩',
  '\u263A\uFE0E',
  '\uFE0F',
  '\u200D',
])('%j is not one emoji', (value) => {
  expect(explain(Emoji.safeParse(value).error!)).toBe('must be one unicode emoji')
})

test.each([
  ['\u2764', '\u2764\uFE0F'],
  ['👍\uFE0F', '👍'],
  ['1\u20E3', '1\uFE0F\u20E3'],
  ['\u{1F441}\u200D\u{1F5E8}', '\u{1F441}\uFE0F\u200D\u{1F5E8}\uFE0F'],
  ['\u{261D}\u{1F3FD}', '\u{261D}\u{1F3FD}'],
])('the qualified form of %j has a variation selector where it belongs', (typed, qualified) => {
  expect([qualifiedEmoji(typed), qualifiedEmoji(qualified)]).toEqual([qualified, qualified])
  expect(sameEmoji(typed, qualified)).toBe(true)
})

test('emoji with other skin tones or parts are different', () => {
  expect([sameEmoji('👍', '👍🏽'), sameEmoji('👩', '👩‍🚀'), sameEmoji('❤️', '🧡')]).toEqual([false, false, false])
})

test('ids are in lower case', () => {
  expect(Id.parse('0194F3A0-1234-7ABC-8DEF-0123456789AB')).toBe('0194f3a0-1234-7abc-8def-0123456789ab')
})

test('names are composed', () => {
  expect([Name.parse('cafe\u0301'), DisplayName.parse('Zoe\u0308')]).toEqual(['caf\u00e9', 'Zo\u00eb'])
})

test('names are measured in composed letters, and do not consist of spaces', () => {
  expect(takes(DisplayName, 'e\u0301'.repeat(32))).toBe(true)
  expect(explain(DisplayName.safeParse('\u0958'.repeat(17)).error!)).toBe('must be at most 32 characters')
  expect(DisplayName.parse('')).toBe('')
  for (const name of [DisplayName, Name])
    expect(explain(name.safeParse(' \u3000').error!)).toMatch(/^must not (be empty|consist of spaces)$/)
})

test.each(['2026-03-01T10:00', '2026-03-01 10:00:00.5'])('%s, without an offset, is in UTC everywhere', (time) => {
  const zone = process.env['TZ']
  try {
    process.env['TZ'] = 'Asia/Tokyo'
    expect(timeMs(time)).toEqual(timeMs(`${time}Z`))
  } finally {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  }
})

test.each([
  '2026-03-01',
  '2026-03-01T10:00Z',
  '0000-02-29',
  '2026-03-01T10:00:00Z',
  '2026-03-01T10:00:00.123Z',
  '2026-03-01T10:00:00+02:00',
  '2026-03-01 10:00:00Z',
])('%s is a time', (value) => {
  expect(takes(Time, value)).toBe(true)
})

test('all digits of the fraction of a second count', () => {
  const time = (digits: string) => `2026-03-01T10:00:00.${digits}Z`
  for (const digits of ['1', '123456', '1234567890123', '1'.repeat(100)]) expect(takes(Time, time(digits))).toBe(true)
  const ms = Date.UTC(2026, 2, 1, 10) + 123
  expect(timeMs(time('123'))).toEqual({ floor: ms, ceil: ms })
  expect(timeMs(time('12300000000000'))).toEqual({ floor: ms, ceil: ms })
  expect(timeMs(time('12300000000001'))).toEqual({ floor: ms, ceil: ms + 1 })
  expect(timeMs(time('1229999999999999999999'))).toEqual({ floor: ms - 1, ceil: ms })
  expect(timeMs(time('0001234567890'))).toEqual({ floor: ms - 123, ceil: ms - 122 })
  expect(timeMs(time('0120000000000'))).toEqual({ floor: ms - 111, ceil: ms - 111 })
})

test.each([
  '',
  'now',
  '1772359200',
  '2026-02-30',
  '2026-02-30T10:00:00Z',
  '2025-02-29',
  '2026-04-31',
  '2026-00-01',
  '2026-13-01',
  '2026-03-01T25:00:00Z',
  '2026-03-01 10:00:00+25:00',
  '2026-03-01 10:00:00+0260',
  '01.03.2026',
  '2026-03-01T10:00:00ZZ',
])('%j is not a time', (value) => {
  expect(explain(Time.safeParse(value).error!)).toBe('must be an ISO 8601 time')
})

test('parses an integer in a query from digits only (decisions row 39)', () => {
  const wait = QueryInteger(0, 25)
  expect(wait.parse(25)).toBe(25)
  for (const [given, number] of Object.entries({ '0': 0, '7': 7, '25': 25, '007': 7 })) {
    expect(wait.safeParse(given).data).toBe(number)
  }
  for (const wrong of [
    '',
    ' ',
    ' 5',
    '1.5',
    '1e1',
    '0x10',
    '+5',
    'NaN',
    'Infinity',
    'five',
    null,
    true,
    [],
    NaN,
    1.5,
  ]) {
    expect(explain(wait.safeParse(wrong).error!), JSON.stringify(wrong)).toBe('must be an integer')
  }
  expect(explain(wait.safeParse('-1').error!)).toBe('must be at least 0')
  expect(explain(wait.safeParse('26').error!)).toBe('must be at most 25')
})

test('a link is http or https; the error states whether it must be https', () => {
  expect(takes(Link, 'http://a.example/x')).toBe(true)
  expect(takes(HttpsLink, 'https://a.example/x')).toBe(true)
  for (const wrong of ['javascript:alert(1)', 'data:text/html,x', 'ftp://a.example', '/x', 'a.example', '']) {
    expect(explain(Link.safeParse(wrong).error!)).toBe('must be an http or https link')
    expect(explain(HttpsLink.safeParse(wrong).error!)).toBe('must be an https link')
  }
  expect(takes(HttpsLink, 'http://a.example/x')).toBe(false)
})

test('links, names, descriptions and reasons have limits that the specification does not define', () => {
  const url = (length: number) => 'https://cdn.example.com/'.padEnd(length, 'a')
  for (const schema of [Link, HttpsLink]) {
    expect(takes(schema, url(2048))).toBe(true)
    expect(explain(schema.safeParse(url(2049)).error!)).toBe('must be at most 2048 characters')
    // No host name is that long, and parsing one with non-Latin letters takes quadratic time.
    expect(takes(schema, `https://${'\u4e00'.repeat(301)}`)).toBe(false)
    expect(takes(schema, `https:\t/ ${'\u4e00'.repeat(301)}/`)).toBe(false)
  }
  expect(takes(Name, '\u{1f642}'.repeat(100))).toBe(true)
  expect(takes(Name, 'x'.repeat(101))).toBe(false)
  expect(takes(Reason, 'x'.repeat(500))).toBe(true)
  expect(takes(Reason, 'x'.repeat(501))).toBe(false)
  expect(takes(Command, { name: 'x', description: 'x'.repeat(1000) })).toBe(true)
  expect(takes(Command, { name: 'x', description: 'x'.repeat(1001) })).toBe(false)
})

test('only a text that was cut has an ellipsis', () => {
  expect(shortened('👍👍👍', 3)).toBe('👍👍👍')
  expect(shortened('👍👍👍', 2)).toBe('👍👍…')
  expect(shortened('abc', 2)).toBe('ab…')
})

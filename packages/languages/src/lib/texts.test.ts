import { readConfig } from '@botwright/framework'
import { expect, test } from 'vitest'
import languages from '../plugin.ts'
import { readCatalogue } from './catalogue.ts'
import { checkTexts } from './check-texts.ts'
import { textTypes } from './text-types.ts'
import { fallbackChain, translate } from './translate.ts'

const file = (name: string, value: unknown, owner = '') => ({
  owner,
  name: `locales/${name}`,
  file: `locales/${name}.json`,
  value,
})
const data = [
  file('en', {
    hello: 'Hello, {name}!',
    votes: { one: '{count} vote', other: '{count} votes' },
    poll: { end: 'Ends {when:date}' },
    bye: 'Bye!',
  }),
  file('pl', { votes: { one: '{count} głos', few: '{count} głosy', many: '{count} głosów', other: '{count} głosu' } }),
  file('de', { hello: 'Hallo, {name}!', share: '{share:percent}' }),
  file('de', { rules: 'Regeln' }, 'counting'),
]
const catalogue = readCatalogue(data)
const say = (language: string, ...rest: [key: string, values?: Record<string, string | number | Date>]) =>
  translate(catalogue, fallbackChain(language, 'en'), ...rest)

test('uses the plural form and number format of the language', () => {
  expect([1, 2, 5].map((count) => say('pl', 'votes', { count }))).toEqual(['1 głos', '2 głosy', '5 głosów'])
  expect(say('en', 'votes', { count: 1234 })).toBe('1,234 votes')
  expect(say('de', 'share', { share: 0.5 })).toMatch(/^50\s%$/)
  expect(say('en', 'poll.end', { when: new Date('2026-03-01T12:00:00Z') })).toBe('Ends Mar 1, 2026')
})

test('falls back from region to language, then to the fallback language, then to the key', () => {
  expect(say('de-AT', 'hello', { name: 'ann' })).toBe('Hallo, ann!')
  expect(say('pl', 'hello', { name: 'ann' })).toBe('Hello, ann!')
  expect(say('de', 'counting.rules')).toBe('Regeln')
  expect(say('de', 'nothing')).toBe('nothing')
})

test('leaves the placeholder of a missing value, and does not expand placeholders in values', () => {
  expect(say('en', 'hello')).toBe('Hello, {name}!')
  expect(say('en', 'hello', { name: '{name} $& <@x>' })).toBe('Hello, {name} $& <@x>!')
  expect(say('en', 'hello', JSON.parse('{"__proto__":"x"}') as Record<string, string>)).toBe('Hello, {name}!')
})

test('the check compares all languages with the fallback language', () => {
  const wrong = [
    file('en', { a: '{x}', b: 'b', n: { other: 'n' } }),
    file('de', { a: '{y}', c: 'c', n: { one: '1', other: '{count}' }, d: 5 }),
    file('nolanguage_x', {}),
  ]
  expect(checkTexts(wrong, 'en').map((one) => `${one.file}: ${one.text}`)).toEqual([
    'locales/de.json: d is not a string; write a string or an object of strings',
    'locales/nolanguage_x.json: the file name is not a language; rename it, for example to de.json or pt-BR.json',
    'locales/en.json: "n" has no plural form one, which "en" requires',
    'locales/de.json: "a" does not use {x}, but "en" does',
    'locales/de.json: "a" uses {y}, but "en" does not',
    'locales/de.json: "b" is missing; users see it in "en"',
    'locales/de.json: "c" is not in "en"; remove it here or add it there',
  ])
  expect(checkTexts([file('de', {})], 'en')[0]?.text).toContain('en.json is missing in this folder')
})

test('reports an unknown format, which would be ignored', () => {
  const wrong = [file('en', { a: '{when:dat} {n:number}', n: { one: '{count:percnt}', other: '{count}' } })]
  expect(checkTexts(wrong, 'en').map(({ text }) => text)).toEqual([
    '"a" has an unknown format "dat"; use number, percent, date, time, datetime',
    '"n" has an unknown format "percnt"; use number, percent, date, time, datetime',
  ])
})

test('accepts any spelling of a language tag as the fallback, and rejects other text', async () => {
  const read = (fallback: string) => readConfig({ plugins: { languages: languages({ fallback }) } }, 'bot.config.ts')
  expect((await read('pt-br')).plugins?.['languages']?.options).toEqual({ fallback: 'pt-BR' })
  await expect(read('no language')).rejects.toThrow(
    'bot.config.ts: plugins.languages.fallback must be a language tag, such as en or pt-BR',
  )
})

test('generates a type for each key with the values in its text', () => {
  expect(textTypes(data, 'en').split('\n')).toEqual([
    'texts: {',
    '  "hello": { "name": string | number | bigint | Date }',
    '  "votes": { "count": number }',
    '  "poll.end": { "when": string | number | bigint | Date }',
    '  "bye": Record<string, never>',
    '}',
  ])
})

test('formats dates in the configured time zone', async () => {
  const when = new Date('2026-03-01T23:30:00Z')
  const end = (timezone: string) => translate(catalogue, ['en'], 'poll.end', { when }, timezone)
  expect([end('Asia/Tokyo'), end('UTC')]).toEqual(['Ends Mar 2, 2026', 'Ends Mar 1, 2026'])
  const config = readConfig({ plugins: { languages: languages({ timezone: 'Mars/Olympus' }) } }, 'bot.config.ts')
  await expect(config).rejects.toThrow('must be a time zone, such as Europe/Berlin')
})

test("a bot replaces the framework's own texts, and an unknown key or value is reported", () => {
  const own = [
    file('en', { hello: 'Hello' }),
    file('de', {
      hello: 'Hallo',
      framework: { cooldown: { wait: 'Warte {left}', wiat: 'x' }, failed: '{reference}', took_too_long: 'Zu {x}' },
    }),
  ]
  expect(checkTexts(own, 'en').map((one) => `${one.file}: ${one.text}`)).toEqual([
    'locales/de.json: "framework.cooldown.wiat" is not a text of the framework; did you mean "framework.cooldown.wait"?',
    'locales/de.json: "framework.failed" uses {reference}, but that text has no values',
    'locales/de.json: "framework.took_too_long" uses {x}, but that text has no values',
  ])
  expect(textTypes(own, 'de')).toBe('texts: {\n  "hello": Record<string, never>\n}')
})

import { readConfig } from '@botwright/framework'
import { expect, test } from 'vitest'
import languages from '../plugin.ts'
import { readCatalogue } from './catalogue.ts'
import { checkTexts } from './check-texts.ts'
import { textTypes } from './text-types.ts'
import { fallbackChain, type TextValue, translator } from './translate.ts'

const file = (name: string, value: unknown, owner = '') => ({
  owner,
  name: `locales/${name}`,
  file: `locales/${name}.json`,
  value,
})
const data = [
  file('en', {
    hello: 'Hello, {name}!',
    votes: '{count, plural, one {# vote} other {# votes}}',
    place: '{place, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}',
    joined: '{role, select, owner {The owner} other {A member}} joined',
    poll: { end: 'Ends {when, date, medium}' },
    bye: 'Bye!',
  }),
  file('pl', { votes: '{count, plural, one {# głos} few {# głosy} many {# głosów} other {# głosu}}' }),
  file('de', { hello: 'Hallo, {name}!', share: '{share, number, percent}' }),
  file('de', { rules: 'Regeln' }, 'counting'),
]
const faults: string[] = []
const catalogue = readCatalogue(data, (name, text) => faults.push(`${name}: ${text}`))
const translate = translator(catalogue, 'UTC')
const say = (language: string, key: string, values?: Record<string, TextValue>) =>
  translate(fallbackChain(language, 'en'), key, values)

test('formats ICU messages: plurals, ordinals, choices, numbers and dates of the language', () => {
  expect(faults).toEqual([])
  expect([1, 2, 5].map((count) => say('pl', 'votes', { count }))).toEqual(['1 głos', '2 głosy', '5 głosów'])
  expect(say('en', 'votes', { count: 1234 })).toBe('1,234 votes')
  expect([1, 2, 3, 11].map((place) => say('en', 'place', { place }))).toEqual(['1st', '2nd', '3rd', '11th'])
  expect(['owner', 'guest'].map((role) => say('en', 'joined', { role }))).toEqual([
    'The owner joined',
    'A member joined',
  ])
  expect(say('de', 'share', { share: 0.5 })).toMatch(/^50\s%$/)
  expect(say('en', 'poll.end', { when: new Date('2026-03-01T12:00:00Z') })).toBe('Ends Mar 1, 2026')
})

test('rejects an object of plural forms', () => {
  const found: string[] = []
  readCatalogue([file('en', { votes: { one: '{count} vote', other: '{count} votes' } })], (_file, text) =>
    found.push(text),
  )
  expect(found).toEqual([
    '"votes" is an object of plural forms; write an ICU message: {count, plural, one {…} other {…}}',
  ])
})

test('takes mentions and quoted braces as text', () => {
  const texts = readCatalogue([file('en', { a: "<@x> isn't '{here}' <b>" })], (_file, text) => faults.push(text))
  expect(translator(texts, 'UTC')(['en'], 'a')).toBe("<@x> isn't {here} <b>")
  expect(faults).toEqual([])
})

test.each([
  ['{count, plural, one {# vote}}', 'at character 29: it has no form for all other values; add other {…}'],
  ['Hello, {name', 'at character 8: a "{" has no "}"; quote a brace that is text: \'{\''],
  ['{when:date}', 'at character 1: an argument is not {name}, {name, number}, {name, date}'],
  ['{when, dat}', 'at character 8: the type of an argument is not number, date, time, plural, selectordinal or select'],
  ['{}', 'at character 1: "{}" has no name; write {name}'],
])('%s is not a message: the error names the file, the key, the place and the fix', (text, fault) => {
  const found: string[] = []
  readCatalogue([file('en', { greetings: { hello: text } })], (name, problem) => found.push(`${name}: ${problem}`))
  expect(found).toEqual([expect.stringContaining(`locales/en.json: "greetings.hello" is not an ICU message ${fault}`)])
})

test('falls back from region to language, then to the fallback language, then to the key', () => {
  expect(say('de-AT', 'hello', { name: 'ann' })).toBe('Hallo, ann!')
  expect(say('pl', 'hello', { name: 'ann' })).toBe('Hello, ann!')
  expect(say('de', 'counting.rules')).toBe('Regeln')
  expect(say('de', 'nothing')).toBe('nothing')
})

test('returns the text as written if a value is missing, and does not expand placeholders in values', () => {
  expect(say('en', 'hello')).toBe('Hello, {name}!')
  expect(say('en', 'hello', { name: '{name} $& <@x>' })).toBe('Hello, {name} $& <@x>!')
  expect(say('en', 'hello', JSON.parse('{"__proto__":"x"}') as Record<string, string>)).toBe('Hello, {name}!')
  expect(say('en', 'votes')).toBe('{count, plural, one {# vote} other {# votes}}')
})

test('the check compares all languages with the fallback language', () => {
  const wrong = [
    file('en', { a: '{x}', b: 'b', n: '{n, plural, other {n}}' }),
    file('de', { a: '{y}', c: 'c', n: '{n, plural, one {1} other {#}}', d: 5 }),
    file('nolanguage_x', {}),
  ]
  expect(checkTexts(wrong, 'en').map((one) => `${one.file}: ${one.text}`)).toEqual([
    'locales/de.json: d is not a string; write a string or an object of strings',
    'locales/nolanguage_x.json: the file name is not a language; rename it, for example to de.json or pt-BR.json',
    'locales/en.json: "n" has no plural form "one" of {n}, which "en" requires',
    'locales/de.json: "a" does not use {x}, but "en" does',
    'locales/de.json: "a" uses {y}, but "en" does not',
    'locales/de.json: "b" is missing; users see it in "en"',
    'locales/de.json: "c" is not in "en"; remove it here or add it there',
  ])
  expect(checkTexts([file('de', {})], 'en')[0]?.text).toContain('en.json is missing in this folder')
})

test('reports a text of the code that only some languages have', () => {
  const files = [
    file('en', {}),
    file('de', { framework: { code: { 'Sets an alarm.': 'Stellt einen Wecker.', other: 'andere', one: 'eins' } } }),
    file('fr', { framework: { code: { 'Sets an alarm.': 'Règle un réveil.' } } }),
  ]
  expect(checkTexts(files, 'en').map((one) => `${one.file}: ${one.text}`)).toEqual([
    'locales/fr.json: "framework.code.other" is missing; users see it as it is in the code',
    'locales/fr.json: "framework.code.one" is missing; users see it as it is in the code',
  ])
  expect(
    readCatalogue(files, () => {})
      .get('de')
      ?.own.get('code.Sets an alarm.'),
  ).toBe('Stellt einen Wecker.')
})

test('a language of a region needs only the texts in which it differs from its language', () => {
  const files = [
    file('en', { a: 'January', b: 'b' }),
    file('en-IE', { b: 'B' }),
    file('de', { a: 'Januar', b: 'b', framework: { code: { hour: 'Stunde' } } }),
    file('de-AT', { a: 'Jänner' }),
    file('pt-BR', { a: 'janeiro', framework: { code: { hour: 'hora' } } }),
  ]
  expect(checkTexts(files, 'en').map((one) => `${one.file}: ${one.text}`)).toEqual([
    'locales/pt-BR.json: "b" is missing; users see it in "en"',
  ])
})

test("a bot can contain the texts of a plugin that does not support the bot's language", () => {
  const plugin = file('en', { rules: 'Rules', end: 'End' }, 'counting')
  const withOwn = (own: object) => checkTexts([file('de', { counting: own }), plugin], 'de').map(({ text }) => text)
  expect(withOwn({ rules: 'Regeln', end: 'Ende' })).toEqual([])
  expect(withOwn({ rules: 'Regeln' })).toEqual([
    'de.json is missing in this folder; "de" is the fallback language; or add the texts of "counting" to the bot\'s own file',
  ])
})

test("takes a plugin's translations of its code, which the bot's own override, in any language", () => {
  const files = [
    file('de', { framework: { code: { Close: 'Zu' } } }),
    file('de', { framework: { code: { Close: 'Schließen', Open: 'Öffnen' }, failed: 'kaputt' } }, 'polls'),
  ]
  const own = readCatalogue(files, (_file, text) => faults.push(text)).get('de')?.own
  expect(['code.Close', 'code.Open', 'failed'].map((key) => own?.get(key))).toEqual(['Zu', 'Öffnen', undefined])
  expect(faults).toEqual([])
  // A plugin need not have the language of each bot.
  expect(checkTexts([file('fr', {}), files[1]!], 'fr')).toEqual([])
})

test('reports an unknown style of a number, date or time', () => {
  const wrong = [file('en', { a: '{when, date, shrt} {n, number, percnt}', b: '{when, time, ::jmm}' })]
  expect(checkTexts(wrong, 'en').map(({ text }) => text)).toEqual([
    '"a" has an unknown date style "shrt"; use short, medium, long, full, datetime, or a skeleton: ::…',
    '"a" has an unknown number style "percnt"; use integer, currency, percent, or a skeleton: ::…',
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
    '  "hello": { "name": string | number | bigint }',
    '  "votes": { "count": number }',
    '  "place": { "place": number }',
    '  "joined": { "role": string }',
    '  "poll.end": { "when": Date | number }',
    '  "bye": Record<string, never>',
    '}',
  ])
})

test('formats dates in the configured time zone', async () => {
  const when = new Date('2026-03-01T23:30:00Z')
  const end = (timezone: string) => translator(catalogue, timezone)(['en'], 'poll.end', { when })
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

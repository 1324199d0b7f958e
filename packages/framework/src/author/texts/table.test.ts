import { expect, test } from 'vitest'
import { createTexts } from '../../bot/bot-texts.ts'
import { ownText, render } from './phrase.ts'
import { ownLanguages, table, type TextKey } from './table.ts'
import type { Text } from './words.ts'

const keys = Object.keys(table) as TextKey[]
const forms = (text: Text): string[] => (typeof text === 'string' ? [text] : Object.values(text))
const valuesOf = (text: Text): string[] => {
  const names = forms(text).flatMap((form) => [...form.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!))
  return [...new Set(typeof text === 'string' ? names : [...names, 'count'])].sort()
}

test.each(keys)('%s has the same values and all plural forms in every language', (key) => {
  const english = valuesOf(table[key].en)
  for (const language of ownLanguages) {
    const text: Text = table[key][language]
    if (typeof text === 'string') expect(valuesOf(text)).toEqual(english)
    else {
      expect(Object.keys(text).sort()).toEqual(new Intl.PluralRules(language).resolvedOptions().pluralCategories.sort())
      for (const form of forms(text)) expect(english).toEqual(expect.arrayContaining(valuesOf(form)))
    }
    for (const count of [1, 2]) {
      const values = Object.fromEntries(english.map((name) => [name, name === 'count' ? count : `<${name}>`]))
      const shown = render({ text: key, values }, ownText(language))
      expect(shown).not.toMatch(/[{}]|undefined|\[object/)
      expect(shown.trim()).not.toBe('')
    }
  }
})

test('only units, single signs and words of both languages are equal in them', () => {
  const same = keys.filter((key) => JSON.stringify(table[key].en) === JSON.stringify(table[key].de))
  expect(same).toEqual(['duration.seconds', 'duration.milliseconds', 'help.optional'])
})

test('a region uses the texts of its language, and an unknown language those of the bot', () => {
  const texts = createTexts('de')
  expect(texts.in('de-AT', { text: 'ask.cancelled' })).toBe('Abgebrochen.')
  expect(texts.in('fr', { text: 'ask.cancelled' })).toBe('Abgebrochen.')
  expect(texts.in('en-GB', { text: 'ask.cancelled' })).toBe('Cancelled.')
})

test('a plugin replaces a text in one language only', async () => {
  const texts = createTexts()
  texts.use({
    languageOf: ({ user }) => (user?.id === 'anna' ? 'de' : 'fr'),
    find: (language, key) =>
      language === 'fr' && key === 'duration.days' ? { one: '{count} jour', other: '{count} jours' } : undefined,
  })
  const days = { text: 'duration.days', values: { count: 0 } }
  expect(await texts.say(days, { user: { id: 'zoe' } })).toBe('0 jour')
  expect(await texts.say(days, { user: { id: 'anna' } })).toBe('0 Tage')
  expect(await texts.say({ text: 'ask.cancelled' }, { user: { id: 'zoe' } })).toBe('Cancelled.')
})

test("shows values and authors' texts unchanged", () => {
  const texts = createTexts()
  const values = { fact: '{near} $& {count}', near: '{fact}' }
  expect(texts.in('en', { text: 'did_you_mean', values })).toBe('{near} $& {count}; did you mean {fact}?')
  expect(texts.in('de', ['{fact} ', 'x'])).toBe('{fact} x')
})

test('joins the rules of several guards in the language of the reader', () => {
  const only = (text: TextKey, values = {}) => ({ text: 'guard.only', values: { rule: { text, values } } })
  const rules = [only('guard.for_role', { role: 'A' }), only('guard.for_permission', { permission: 'B' })]
  const either = { rules, by: 'or' } as const
  expect(render(either, ownText('en'))).toBe('only for people with the role A or the permission B')
  expect(render(either, ownText('de'))).toBe('nur für Leute mit der Rolle A oder der Berechtigung B')
  const both = { rules: [only('guard.in_servers'), rules[0]!], by: 'list' } as const
  expect(render(both, ownText('de'))).toBe('nur auf Servern, für Leute mit der Rolle A')
})

import { expect, test } from 'vitest'
import { list, oneOf, text } from '../features/arguments/kinds.ts'
import { usageOf } from '../author/args/usage.ts'
import { inEnglish, oneOfWords, phrase, rules } from '../author/texts/phrase.ts'
import { createTexts } from './bot-texts.ts'

const german: Readonly<Record<string, string | { other: string }>> = {
  'code.Only the staff can use this.': 'Das darf nur das Team.',
  'code.only for the staff': 'nur für das Team',
  'code.a color': 'eine Farbe',
  'code.red': 'rot',
  'code.light blue': 'hellblau',
  'code.navy': 'dunkles Blau',
  'code.yes': 'ja, das will ich auf jeden Fall machen',
  'code.one that is much longer than others': 'lang',
  'code.answer': 'antwort',
  'code.votes': { other: 'Stimmen' },
}

function rig() {
  const texts = createTexts('en')
  texts.use({
    languageOf: ({ user }) => (user?.id === 'ann' ? 'de-AT' : 'fr'),
    find: (language, key) => (language === 'de' ? german[key] : undefined),
  })
  return texts
}
const [ann, bob] = [{ user: { id: 'ann' } }, { user: { id: 'bob' } }]

test('a text of the code is translated by itself, for readers of this language', async () => {
  const texts = rig()
  expect(await texts.say('Only the staff can use this.', ann)).toBe('Das darf nur das Team.')
  expect(await texts.say('Only the staff can use this.', bob)).toBe('Only the staff can use this.')
  expect(await texts.say('Wait for me.', ann)).toBe('Wait for me.')
  // Plural forms are for texts of the framework.
  expect(await texts.say('votes', ann)).toBe('votes')
})

test('texts of the code are translated inside of those of the framework', () => {
  const texts = rig()
  expect(texts.in('de', phrase('args.must_be', { expected: 'a color' }))).toBe('ist ungültig; erwartet: eine Farbe')
  expect(texts.in('de', oneOfWords(['red', 'green', 'blue']))).toBe('rot, green oder blue')
  expect(texts.in('de', rules(['only for the staff', phrase('guard.in_servers')], 'list'))).toBe(
    'nur für das Team, auf Servern',
  )
  expect(texts.in('en', phrase('args.must_be', { expected: 'a color' }))).toBe('must be a color')
})

test('the usage has the choices and defaults as a user types them in this language', () => {
  const shape = {
    color: oneOf('light blue', 'navy').flag(),
    answer: oneOf('yes', 'no'),
    length: oneOf('one that is much longer than others', 'red'),
    second: oneOf('light blue', 'navy').default('navy'),
    more: list(text()).default(['light blue', 'dark blue']),
  }
  const usage = usageOf(shape)
  expect(rig().in('de', usage)).toBe(
    '--color <hellblau|"dunkles Blau"> <antwort> <lang|rot> [hellblau|"dunkles Blau"="dunkles Blau"] [more...=hellblau "dark blue"]',
  )
  expect(inEnglish(usage)).toBe(
    '--color <"light blue"|navy> <yes|no> <length> ["light blue"|navy=navy] [more...="light blue" "dark blue"]',
  )
})

test('a bot without translations has none to look for', () => {
  expect(createTexts().translates).toBe(false)
  expect(rig().translates).toBe(true)
})

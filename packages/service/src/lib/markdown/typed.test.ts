import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { namesOf, replaceEmojiNames, toTyped, toWire, typedMention } from './typed.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/large' } as const

const idOf = (number: number) => `${number}1111111-2222-3333-4444-555555555555`
const named = (...all: string[]) => all.map((name, index) => ({ id: idOf(index + 1), name }))
const people = named('ann', 'ann.b', "o'neil", 'snake_case', 'Zoë', 'ann_', 'two words')
const rooms = named('general', 'v1.2', 'my room', 'a`b', '1', '❤️ hearts')
const names = namesOf(people, rooms)
const wire = (typed: string) => toWire(typed, names)
const at = (name: string) => `<@${people.find((each) => each.name === name)!.id}>`
const to = (name: string) => `<#${rooms.find((each) => each.name === name)!.id}>`

it('is what was typed: names for the mentions of a text', () => {
  const content = `${at('ann')}, **${at('snake_case')}** in ${to('my room')}: \`${at('ann')}\``
  expect(toTyped(content, names)).toBe(`@ann, **@snake_case** in #my room: \`${at('ann')}\``)
})

describe('a typed name', () => {
  it.each([
    ['@ann hi', `${at('ann')} hi`],
    ['@ANN, hi', `${at('ann')}, hi`],
    ["@ann's, @ann’s", `${at('ann')}'s, ${at('ann')}’s`],
    ["@o'neil", at("o'neil")],
    ['@ann.b.', `${at('ann.b')}.`],
    ['**@ann** *@ann* _@ann_ ~~@ann~~', `**${at('ann')}** *${at('ann')}* _${at('ann_')} ~~${at('ann')}~~`],
    ['"@ann" (@ann) -@ann @ann…', `"${at('ann')}" (${at('ann')}) -${at('ann')} ${at('ann')}…`],
    ['@ann/@ann', `${at('ann')}/${at('ann')}`],
    ['> @ann\n- @snake_case', `> ${at('ann')}\n- ${at('snake_case')}`],
    ['@zoe\u0308 @two words', `${at('Zoë')} ${at('two words')}`],
    ['#v1.2 #my room, #a`b `', `${to('v1.2')} ${to('my room')}, ${to('a`b')} \``],
    ['#\u2764 hearts', to('❤️ hearts')],
    ['[@ann](https://x.example/@ann)', `[${at('ann')}](https://x.example/@ann)`],
    ['\\\\@ann', `\\\\${at('ann')}`],
  ])('mentions: %j', (typed, sent) => {
    expect(wire(typed)).toBe(sent)
  })

  it.each([
    '`@ann`',
    '``x ` @ann``',
    '```\n@ann #general\n```',
    'a:\n\n    @ann',
    'https://x.example/@ann <https://x.example/#1>',
    '[x](#general)',
    'x@ann @anna @ann.bx @ann-x @@ann',
    '&#1;',
    '<@ann>',
  ])('mentions no one in code, addresses and other words: %j', (typed) => {
    expect(wire(typed)).toBe(typed)
    expect(toTyped(typed, names)).toBe(typed)
  })

  it('stays a name after a backslash, which is not sent', () => {
    expect(wire('\\@ann and `\\@ann`')).toBe('@ann and `\\@ann`')
    expect(toTyped('@ann and `@ann`', names)).toBe('\\@ann and `@ann`')
  })

  it('is typed with an id where it means another', () => {
    const twins = namesOf([], named('general', 'general'))
    expect([1, 2].map((n) => typedMention('#', { id: idOf(n), name: 'general' }, twins))).toEqual([
      '#general',
      `<#${idOf(2)}>`,
    ])
  })
})

it.each([
  `${at('ann')}hi`,
  `x${at('ann')}`,
  `**${at('ann')}**`,
  at('ann') + at('ann'),
  `"${at('ann')}"`,
  `${at('ann.b')} ok`,
  `${at('ann')}.b`,
  `\`${at('ann')}\``,
  `\\${at('ann')}`,
  '@ann \\@ann \\\\@ann',
])('editing %j without a change changes nothing', (content) => {
  expect(wire(toTyped(content, names))).toBe(content)
})

it('converts random messages with random names there and back', slow, () => {
  const letters = fc.constantFrom(...'ab.1_-*`\\[]() ’é')
  const name = fc.string({ unit: letters, minLength: 1, maxLength: 5 }).filter((text) => text.trim() !== '')
  const unit = fc.constantFrom(
    ...'ab1.@#*_`~[]()<>:\\-\n &;',
    ...[1, 2, 3].flatMap((n) => [`<@${idOf(n)}>`, `<#${idOf(n)}>`]),
    ...['```\n', '    ', 'https://x.example/', '\u{F0000}', '\u0301'],
  )
  fc.assert(
    fc.property(
      fc.array(name, { minLength: 1, maxLength: 3 }),
      fc.array(fc.oneof(unit, fc.nat(2)), { maxLength: 25 }),
      (all, parts) => {
        const known = namesOf(named(...all), named(...all))
        const written = (sign: string) =>
          parts.map((part) => (typeof part === 'number' ? sign + (all[part] ?? '') : part)).join('')
        for (const text of [written('@'), written('#')]) {
          // As content, and as typed text.
          expect(toWire(toTyped(text, known), known)).toBe(text)
          const sent = toWire(text, known)
          expect(toWire(toTyped(sent, known), known)).toBe(sent)
          expect(toTyped(toWire(toTyped(sent, known), known), known)).toBe(toTyped(sent, known))
        }
      },
    ),
    { numRuns: 300 },
  )
})

it('replaces names of emoji in text only', () => {
  const replaced = (text: string) => replaceEmojiNames(text, (name) => (name === 'rocket' ? '🚀' : undefined))
  expect(replaced('**:rocket:** :rocket:, :nonsense: (:rocket:)')).toBe('**🚀** 🚀, :nonsense: (🚀)')
  for (const text of ['`icon: :rocket:`', '```yaml\nicon: :rocket:\n```', 'https://x.example/:rocket:', '1:rocket:2'])
    expect(replaced(text)).toBe(text)
})

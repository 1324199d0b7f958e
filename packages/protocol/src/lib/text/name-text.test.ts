import { describe, expect, it } from 'vitest'
import { hiddenCharacter } from './name-text.ts'

describe('forbidden characters in names', () => {
  it.each([
    ['NUL', 'a\0', 'U+0000'],
    ['a line break', 'a\nb', 'U+000A'],
    ['an escape', '\u001B[31mred', 'U+001B'],
    ['a control of 8 bits', 'a\u009Bb', 'U+009B'],
    ['a line separator', 'a\u2028b', 'U+2028'],
    ['right-to-left override', 'ann\u202Egpj', 'U+202E'],
    ['an isolate', '\u2066ann\u2069', 'U+2066'],
    ['a right-to-left mark', 'ann\u200F', 'U+200F'],
    ['a zero-width space', 'a\u200Bnn', 'U+200B'],
    ['a joiner between Latin letters', 'a\u200Dnn', 'U+200D'],
    ['a non-joiner between Latin letters', 'a\u200Cnn', 'U+200C'],
    ['a joiner after an emoji and before nothing', '👩\u200D', 'U+200D'],
    ['a joiner between an emoji and a letter', '👩\u200Dann', 'U+200D'],
    ['a non-joiner between emoji', '👩\u200C👩', 'U+200C'],
    ['a byte order mark', '\uFEFFann', 'U+FEFF'],
    ['a soft hyphen', 'an\u00ADn', 'U+00AD'],
    ['a Hangul filler', '\u3164', 'U+3164'],
    ['a blank of Braille', '\u2800', 'U+2800'],
    ['a variation selector after a letter', 'ann\uFE0F', 'U+FE0F'],
    ['a variation selector after a digit without its keycap', '1\uFE0F', 'U+FE0F'],
    ['tags without their flag', 'ann\u{E0067}\u{E0062}\u{E007F}', 'U+E0067'],
    ['half a surrogate pair', 'ann\uD800', 'U+D800'],
  ])('%s', (_, name, character) => {
    expect([hiddenCharacter(name), hiddenCharacter(name, true)]).toEqual([character, character])
  })
})

describe('allowed characters in names', () => {
  it.each([
    ['an emoji family', '👩‍👩‍👧‍👦'],
    ['an emoji with a skin tone', 'Ann 👩🏽‍🚀'],
    ['a heart in a couple', '👩‍❤️‍💋‍👨'],
    ['an emoji with its selector', '❤️ ☎︎'],
    ['a keycap', '#️⃣ 1️⃣'],
    ['the flag of a region', '🏴󠁧󠁢󠁷󠁬󠁳󠁿'],
    ['a non-joiner in Persian', 'می\u200Cخواهم'],
    ['a joiner in Sinhala', 'ශ්\u200Dරී'],
    ['a joiner after a virama', 'क्\u200Dष'],
    ['a variant of an ideograph', '葛\u{E0100}城'],
  ])('%s: allowed in names, but not in strict ones', (_, name) => {
    expect(hiddenCharacter(name)).toBeUndefined()
    expect(hiddenCharacter(name, true)).toMatch(/^U\+/)
  })

  it.each(['Zoë', "O'Brien", '李雷', 'Ольга', 'עברית', 'עِבְרִית', 'สวัสดี', 'e\u0301', '🙂🇩🇪', 'my server – 2'])(
    '%s',
    (name) => {
      expect([hiddenCharacter(name), hiddenCharacter(name, true)]).toEqual([undefined, undefined])
    },
  )
})

it('takes linear time', () => {
  for (const unit of ['\u200D', '👩\u200D', '\u{1F3F4}\u{E0067}', 'ک\u200C', '\uFE0F']) {
    // Processor time, and the least of three: other processes and the collector of garbage do not count.
    const timeOf = (count: number) => {
      const text = unit.repeat(count)
      const times = [1, 2, 3].map(() => {
        const start = process.cpuUsage()
        for (let i = 0; i < 5; i++) hiddenCharacter(text)
        const { user, system } = process.cpuUsage(start)
        return (user + system) / 1000
      })
      return Math.min(...times)
    }
    timeOf(2000)
    // Quadratic time would take a hundred times as long.
    expect(timeOf(20_000)).toBeLessThan(Math.max(40 * timeOf(2000), 20))
  }
})

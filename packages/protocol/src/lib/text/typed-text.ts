// Forms of texts that people type, and how they compare. A file of its own: bots' compilers read the declarations of text.ts.

/** A text without the selectors of emoji and text presentation. */
export const withoutSelectors = (text: string): string => text.replace(/[\uFE0E\uFE0F]/g, '')

/** A text in the form in which texts that look the same are equal: composed, without variation selectors. */
export const lookOf = (text: string): string => withoutSelectors(text).normalize('NFC')

/** A name in the form in which names are compared: composed, without variation selectors and upper case. */
export const foldName = (name: string): string =>
  // In upper case first: `STRASSE` is `straße`. In lower case, sigma has another form at the end of a word, such as the word typed so far.
  withoutSelectors(name).toUpperCase().toLowerCase().normalize('NFC').replaceAll('ς', 'σ')

/** No name is longer. One character may become 18 plain ones. */
const LONGEST_NAME = 1000

/** A typed name in the form in which it is compared: also with plain letters for full-width ones and ligatures. */
export const foldTyped = (name: string): string => foldName(name.length > LONGEST_NAME ? name : name.normalize('NFKC'))

/** Zero-width and direction characters and soft hyphens: people neither see nor type them. */
const unseen = /[\u00AD\u034F\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/

/** The position of the first character from `at` on that people see. */
export function skipUnseen(text: string, at = 0): number {
  let seen = at
  while (seen < text.length && unseen.test(text.charAt(seen))) seen++
  return seen
}

/** A word without the characters at its edges that people neither see nor type. */
export function trimUnseen(word: string): string {
  const start = skipUnseen(word)
  let end = word.length
  while (end > start && unseen.test(word.charAt(end - 1))) end--
  return word.slice(start, end)
}

const digit = /\p{Nd}/u
/** The digits of a script are consecutive, from zero to nine. */
function plainDigit(character: string): string {
  const code = character.codePointAt(0)!
  let first = code
  while (digit.test(String.fromCodePoint(first - 1))) first--
  return String((code - first) % 10)
}

/** A text with the digits 0 to 9 in place of those of other scripts. */
export const plainDigits = (text: string): string =>
  text.replace(/\p{Nd}/gu, (each) => (each >= '0' && each <= '9' ? each : plainDigit(each)))

/** A text with plain digits, and with plain letters and signs in place of full-width ones. */
const plainWidth = (text: string): string =>
  plainDigits(text).replace(/[\uFF01-\uFF5E]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))

/** A typed number with plain digits, signs and separators: phones and word processors write `−5` and `–5`, keyboards `５` and `٥`. */
export const plainNumber = (word: string): string =>
  plainWidth(word)
    .replace(/^[\u2212\u2013]/, '-')
    .replaceAll('\u066B', '.')

/** Whether the comma of a number may be that of thousands: `1,000` is a thousand to some people, and one to others. */
export const isAmbiguous = (number: string): boolean => /^[+-]?[1-9]\d{0,2},\d{3}(?!\d)/.test(number)

/** A typed date or duration with plain digits, letters, dashes and separators, as in `１８：００` and `2026‑03‑01`. */
export const plainTime = (text: string): string =>
  plainWidth(text)
    .replace(/[\u2010-\u2013\u2212]/g, '-')
    .replaceAll('\u066B', ',')

const everyone = /@(?:everyone|here)(?![\p{L}\p{N}])/uy
/** The mention of everyone at a position of a text, `@everyone` or `@here`, if it is there (§4, `allowed_mentions`). */
export function everyoneAt(text: string, at: number): string | undefined {
  everyone.lastIndex = at
  return everyone.exec(text)?.[0]
}

// Created on first use: these patterns cover all emoji and are slow to compile.
let patterns: { emoji: RegExp; bareCharacter: RegExp } | undefined

const makePatterns = () => ({
  emoji: new RegExp('^\\p{RGI_Emoji}$', 'v'),
  /** A character that is rendered as text unless a variation selector or a skin tone follows. */
  bareCharacter: /(?!\p{Emoji_Presentation})(\p{Emoji})(?![\u{FE0F}\u{1F3FB}-\u{1F3FF}])/gu,
})

/**
 * An emoji in its qualified form, with U+FE0F where it belongs: some keyboards omit it. Undefined if the text is not
 * exactly one emoji.
 */
export function qualifiedEmoji(value: string): string | undefined {
  const { emoji, bareCharacter } = (patterns ??= makePatterns())
  const bare = value.replaceAll('\uFE0F', '')
  return [bare, bare.replace(bareCharacter, '$1\u{FE0F}')].find((each) => emoji.test(each))
}

/** A time of day at the end of a text, without its offset from UTC. */
const localTime = /[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/

/**
 * A time as milliseconds, cut and rounded up: a time may have more digits than messages. One without an offset is in UTC, as dates
 * are, whatever the time zone of the computer is.
 */
export function timeMs(value: string): { floor: number; ceil: number } {
  // JavaScript reads fractions of more than nine digits wrong if they begin with a zero.
  const read = value.replace(/(\.\d{3})\d+/, '$1')
  const floor = Date.parse(localTime.test(read) ? `${read}Z` : read)
  return { floor, ceil: /\.\d{3}0*[1-9]/.test(value) ? floor + 1 : floor }
}

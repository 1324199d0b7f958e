import { quoteWord } from './typed-words.ts'
import { table, type TextKey } from './table.ts'
import type { OwnLanguage, Phrase, Rules, Text, Words } from './words.ts'

/** The names of the values in a text: `left` of `Wait {left}, then try again.` */
type Shown<T> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Shown<Rest> : never
type ValuesOf<K extends TextKey> = (typeof table)[K]['en'] extends infer T
  ? Shown<T extends string ? T : T[keyof T]> | (T extends string ? never : 'count')
  : never

type Values<K extends TextKey> = [ValuesOf<K>] extends [never]
  ? []
  : [values: Readonly<{ [Name in ValuesOf<K>]: Name extends 'count' ? number : Words | number }>]

/** A phrase: `phrase('cooldown.wait', { left: durationWords(ms) })`. */
export const phrase = <K extends TextKey>(text: K, ...[values]: Values<K>): Phrase => ({
  text,
  ...(values && { values }),
})

/** The rules of several guards, joined when they are shown. */
export const rules = (all: readonly Words[], by: Rules['by']): Words => ({ rules: all, by })

/** `a, b or c`. */
export const oneOfWords = (words: readonly string[]): Words =>
  words.length < 2 ? words : phrase('or', { first: listed(words.slice(0, -1)), last: words.at(-1)! })

/** `a, b`, each of which can be translated. */
const listed = (words: readonly string[]): Words => words.flatMap((one, i) => (i === 0 ? [one] : [', ', one]))

/** The key of texts that users type. It is not in the table. */
const TYPED = 'typed'
/** Longer lists of choices are left to `/help`. */
const LONGEST_CHOICES = 40

/** Texts as a user types them: translated, then quoted if necessary. */
export const typedWords = (texts: readonly string[]): Phrase => ({ text: TYPED, values: { texts } })

/** The same as `red|green|"light blue"`, or `name` in place of a long list. */
export const typedChoices = (texts: readonly string[], name: string): Phrase => ({
  text: TYPED,
  values: { texts, name },
})

function typedText({ texts = [], name }: Phrase['values'] & {}, say: (words: Words) => string): string {
  const typed = (texts as readonly Words[]).map((one) => quoteWord(say(one)))
  if (name === undefined) return typed.join(' ')
  const choices = typed.join('|')
  return choices.length <= LONGEST_CHOICES ? choices : say(name as Words)
}

/** Returns a text, and its language. */
export type FindText = (key: TextKey) => readonly [Text, language: string]

/** The words as one text; `translate` is called for each text that an author wrote. */
export function render(words: Words, find: FindText, translate = (text: string) => text): string {
  if (typeof words === 'string') return translate(words)
  if ('rules' in words) {
    return rulesText(
      words.rules.map((rule) => render(rule, find, translate)),
      words.by === 'list' ? ', ' : fill(formOf(find(words.by)), { first: '', last: '' }),
    )
  }
  if (!('text' in words)) return words.map((one) => render(one, find, translate)).join('')
  const { text, values = {} } = words
  if (text === TYPED) return typedText(values, (one) => render(one, find, translate))
  const shown: Record<string, string> = {}
  for (const [name, value] of Object.entries(values))
    shown[name] = typeof value === 'number' ? String(value) : render(value, find, translate)
  return fill(formOf(find(text as TextKey), values['count']), shown)
}

function formOf([text, language]: ReturnType<FindText>, count?: Words | number): string {
  if (typeof text === 'string') return text
  const form = typeof count === 'number' ? new Intl.PluralRules(language).select(count) : 'other'
  return text[form] ?? text.other ?? ''
}

const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (all, name: string) => (Object.hasOwn(values, name) ? values[name]! : all))

/** The framework's own texts in one of its languages. */
export const ownText =
  (language: OwnLanguage): FindText =>
  (key) => [table[key][language], language]

/** The words in English: for logs and developers. */
export const inEnglish = (words: Words): string => render(words, ownText('en'))

/**
 * The rules of several guards as one phrase. A common beginning appears once: "only in servers" and "only for people
 * with the role mods" become "only in servers, for people with the role mods".
 */
export function rulesText(rules: readonly string[], between = ', '): string {
  const [first = '', ...others] = [...new Set(rules)]
  if (others.length === 0) return first
  const shared = sharedStart([first, ...others])
  const rest = others.map((rule) => rule.slice(shared.length))
  // A comma separates a rule that is itself joined from its neighbors.
  const isNested = between !== ', ' && [first, ...rest].some((rule) => / (?:or|and|oder|und) |, /.test(rule))
  return [first, ...rest].join(isNested ? `,${between}` : between)
}

/** The words that all rules begin with, without an article at the end: "the role A or the permission B". */
function sharedStart([first = '', ...others]: readonly string[]): string {
  const words = first.split(' ')
  let shared = ''
  // Never the last word: something must be left of each rule.
  for (const word of words.slice(0, -1)) {
    const longer = `${shared}${word} `
    if (!others.every((rule) => rule.startsWith(longer))) break
    shared = longer
  }
  return shared.replace(/(?:^|(?<= ))(?:the|an?|de[mnr]|die|das|eine?) $/, '')
}

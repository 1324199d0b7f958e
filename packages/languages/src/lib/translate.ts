import { languageChain, type Register, type Text } from '@botwright/framework'
import { placeholder, type Texts } from './catalogue.ts'

/** A value in a text. Numbers and dates are formatted for the language. */
export type TextValue = string | number | bigint | Date

type Known = Register extends { texts: infer T } ? T : Record<string, Readonly<Record<string, TextValue>>>
/** The keys of the bot's texts, from `.framework/types.d.ts`. */
export type TextKey = Extract<keyof Known, string>
type Values<K extends TextKey> = Record<never, never> extends Known[K] ? [values?: Known[K]] : [values: Known[K]]

/** `ctx.t`: a text in the language of the event's user. */
export interface Translate {
  <K extends TextKey>(key: K, ...values: Values<K>): Promise<string>
  /** The same text in a given language, synchronously. */
  in<K extends TextKey>(language: string, key: K, ...values: Values<K>): string
}

/** `ctx.setLanguage('de')`; `undefined` resets it. Rejects if the bot has no texts in that language. */
export type SetLanguage = (language: string | undefined, of?: 'user' | 'server') => Promise<void>

/** `de-AT`, then `de`, then the language of the bot. */
export const fallbackChain = (language: string, fallback: string): string[] => [
  ...new Set([...languageChain(language), fallback]),
]

/** The text in the first language that has it. Falls back to the key: a missing text never throws. */
export function translate(
  catalogue: ReadonlyMap<string, Texts>,
  chain: readonly string[],
  key: string,
  values: Readonly<Record<string, TextValue>> = {},
  timezone = 'UTC',
): string {
  for (const language of chain) {
    const text = catalogue.get(language)?.get(key)
    if (text !== undefined) return fill(formFor(text, language, values['count']), language, values, timezone)
  }
  return key
}

function formFor(text: Text, language: string, count: TextValue | undefined): string {
  if (typeof text === 'string') return text
  const form = typeof count === 'number' ? plurals(language).select(count) : 'other'
  return text[form] ?? text.other ?? ''
}

/** A missing value leaves its placeholder in the text, where it is easy to notice. */
const fill = (text: string, language: string, values: Readonly<Record<string, TextValue>>, timezone: string): string =>
  text.replace(placeholder, (all, name: string, style?: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    return value === undefined ? all : show(value, style, language, timezone)
  })

function show(value: TextValue, style: string | undefined, language: string, timezone: string): string {
  if (typeof value === 'string') return value
  if (value instanceof Date) return dates(`${language} ${style ?? 'date'} ${timezone}`).format(value)
  return numbers(`${language} ${style ?? 'decimal'}`).format(value)
}

/** The formats of numbers and dates. */
export const styles: readonly string[] = ['number', 'percent', 'date', 'time', 'datetime']

const cached = <T>(make: (key: string) => T): ((key: string) => T) => {
  const made = new Map<string, T>()
  return (key) => {
    let one = made.get(key)
    if (one === undefined) made.set(key, (one = make(key)))
    return one
  }
}

const plurals = cached((language) => new Intl.PluralRules(language))
const numbers = cached((key) => {
  const [language, style] = key.split(' ')
  return new Intl.NumberFormat(language, style === 'percent' ? { style: 'percent' } : {})
})
const dates = cached((key) => {
  const [language, style, timeZone] = key.split(' ')
  const date = style === 'time' ? {} : ({ dateStyle: 'medium' } as const)
  const time = style === 'date' ? {} : ({ timeStyle: 'short' } as const)
  return new Intl.DateTimeFormat(language, { ...date, ...time, timeZone })
})

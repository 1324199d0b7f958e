import { languageChain, type Register, type Text } from '@botwright/framework'
import { placeholder, type Texts } from './catalogue.ts'

/** What a text can show: numbers and dates as the language writes them. */
export type TextValue = string | number | bigint | Date

type Known = Register extends { texts: infer T } ? T : Record<string, Readonly<Record<string, TextValue>>>
/** The keys of the bot's texts, as `.framework/types.d.ts` knows them. */
export type TextKey = Extract<keyof Known, string>
type Values<K extends TextKey> = Record<never, never> extends Known[K] ? [values?: Known[K]] : [values: Known[K]]

/** `ctx.t`: a text in the language of whoever the event is about. */
export interface Translate {
  <K extends TextKey>(key: K, ...values: Values<K>): Promise<string>
  /** The same text in a language that is known, at once. */
  in<K extends TextKey>(language: string, key: K, ...values: Values<K>): string
}

/** `ctx.setLanguage('de')`; `undefined` takes the choice back. Rejects when the bot has no such language. */
export type SetLanguage = (language: string | undefined, of?: 'user' | 'server') => Promise<void>

/** `de-AT`, then `de`, then the language of the bot. */
export const fallbackChain = (language: string, fallback: string): string[] => [
  ...new Set([...languageChain(language), fallback]),
]

/** A text in the first language that has it; the key itself when none has, so that nothing fails for a text. */
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

/** A value that was not given stays as it is written, which whoever reads it will tell. */
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

/** How numbers and dates can be shown. */
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

import { languageChain, type Register } from '@botwright/framework'
import { IntlMessageFormat } from 'intl-messageformat'
import type { Texts } from './catalogue.ts'
import type { Message } from './message.ts'

/** A value in a text. `{count, number}` and `{when, date}` are formatted for the language. */
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

/** Styles beside those that ICU names: a date with its time. */
const FORMATS = { date: { datetime: { dateStyle: 'medium', timeStyle: 'short' } } } as const

/** The named styles of numbers, dates and times. */
export const namedStyles = {
  number: Object.keys(IntlMessageFormat.formats.number),
  date: [...Object.keys(IntlMessageFormat.formats.date), ...Object.keys(FORMATS.date)],
  time: Object.keys(IntlMessageFormat.formats.time),
}

/** Returns the text in the first language that has it. Falls back to the key: a missing text never throws. */
export function translator(catalogue: ReadonlyMap<string, Texts>, timezone: string) {
  const formats = new Map<Message, IntlMessageFormat>()
  const formatOf = (message: Message, language: string): IntlMessageFormat => {
    let format = formats.get(message)
    if (!format) {
      format = new IntlMessageFormat([...message.parts], language, FORMATS, { formatters: formattersIn(timezone) })
      formats.set(message, format)
    }
    return format
  }
  return (chain: readonly string[], key: string, values: Readonly<Record<string, TextValue>> = {}): string => {
    for (const language of chain) {
      const message = catalogue.get(language)?.messages.get(key)
      if (message) return fill(formatOf(message, language), message, values)
    }
    return key
  }
}

/** A text with a missing or unsuitable value is returned as it was written, where it is easy to notice. */
function fill(format: IntlMessageFormat, { text }: Message, values: Readonly<Record<string, TextValue>>): string {
  try {
    // A date without a style is an element of a list.
    const filled = format.format<TextValue>(values) as unknown
    return Array.isArray(filled) ? filled.join('') : String(filled)
  } catch {
    return text
  }
}

const formattersIn = (timeZone: string) => ({
  getNumberFormat: (...[language, style]: ConstructorParameters<typeof Intl.NumberFormat>) =>
    new Intl.NumberFormat(language, style),
  getDateTimeFormat: (...[language, style]: ConstructorParameters<typeof Intl.DateTimeFormat>) =>
    new Intl.DateTimeFormat(language, { timeZone, ...style }),
  getPluralRules: (...[language, options]: ConstructorParameters<typeof Intl.PluralRules>) =>
    new Intl.PluralRules(language, options),
})

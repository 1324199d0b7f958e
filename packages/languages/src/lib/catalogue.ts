import type { PluginData, Text } from '@botwright/framework'
import { type Message, parseMessage } from './message.ts'

/** The prefix of the keys that replace the framework's own texts. */
export const ownPrefix = 'framework.'
/** The prefix, below it, of the texts that the bot's code contains: each has itself as its key. */
export const codePrefix = 'code.'

/** The texts of one language by key. Keys of nested objects are joined by dots. */
export interface Texts {
  messages: ReadonlyMap<string, Message>
  /** Replacements of the framework's own texts, by their keys. */
  own: ReadonlyMap<string, Text>
}

const FORMS: ReadonlySet<string> = new Set(['zero', 'one', 'two', 'few', 'many', 'other'])

/** An object that has a text for `other` and contains only plural forms. */
const isPlural = (value: object): value is Record<string, string> =>
  'other' in value && Object.entries(value).every(([form, text]) => FORMS.has(form) && typeof text === 'string')

/** Reads one file of the bot (`owner` '') or of a plugin. Calls `report` for each value that is not a text, and skips it. */
export function readTexts(
  { owner, value }: Pick<PluginData, 'owner' | 'value'>,
  report: (text: string) => void,
): Texts {
  const messages = new Map<string, Message>()
  const own = new Map<string, Text>()
  const read = (text: string, key: string): void => {
    const message = parseMessage(text)
    if ('fault' in message) report(`"${key}" ${message.fault}`)
    else messages.set(key, message)
  }
  const visit = (part: unknown, key: string): void => {
    // A plugin translates its own code, but not the framework.
    const isOwn = key.startsWith(owner === '' ? ownPrefix : ownPrefix + codePrefix)
    if (typeof part === 'string') {
      if (isOwn) own.set(key.slice(ownPrefix.length), part)
      else read(part, key)
    } else if (typeof part !== 'object' || part === null || Array.isArray(part))
      report(`${key || 'the file'} is not a string; write a string or an object of strings`)
    else if (key !== '' && key + '.' !== ownPrefix + codePrefix && isPlural(part)) {
      if (isOwn) own.set(key.slice(ownPrefix.length), part)
      else report(`"${key}" is an object of plural forms; write an ICU message: {count, plural, one {…} other {…}}`)
    } else for (const [name, below] of Object.entries(part)) visit(below, key === '' ? name : `${key}.${name}`)
  }
  visit(value, '')
  return { messages, own }
}

/** The language in a file's name: `de` for `locales/de.json`. Undefined if it is not a language. */
export function languageOf(name: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(name.slice(name.lastIndexOf('/') + 1))[0]
  } catch {
    return undefined
  }
}

/** All languages. A plugin's keys are prefixed with its name, and the bot's own text overrides a plugin's text. */
export function readCatalogue(
  data: readonly PluginData[],
  report: (file: string, text: string) => void,
): ReadonlyMap<string, Texts> {
  const languages = new Map<string, { messages: Map<string, Message>; own: Map<string, Text> }>()
  // The bot's own texts come last, so that they override.
  for (const one of [...data].sort((a, b) => (a.owner === '' ? 1 : 0) - (b.owner === '' ? 1 : 0))) {
    const language = languageOf(one.name)
    if (language === undefined) continue
    const texts = languages.get(language) ?? { messages: new Map(), own: new Map() }
    languages.set(language, texts)
    const { messages, own } = readTexts(one, (text) => report(one.file, text))
    for (const [key, message] of messages) texts.messages.set(one.owner === '' ? key : `${one.owner}.${key}`, message)
    for (const [key, text] of own) texts.own.set(key, text)
  }
  return languages
}

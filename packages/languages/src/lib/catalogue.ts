import type { PluginData, Text } from '@botwright/framework'

/** The prefix of the keys that replace the framework's own texts. */
export const ownPrefix = 'framework.'

/** The texts of one language by key. Keys of nested objects are joined by dots. */
export type Texts = ReadonlyMap<string, Text>

const forms = new Set(['zero', 'one', 'two', 'few', 'many', 'other'])

/** An object that has a text for `other` and contains only plural forms. */
const isPlural = (value: object): value is Record<string, string> =>
  'other' in value && Object.entries(value).every(([form, text]) => forms.has(form) && typeof text === 'string')

/** Reads one file. Calls `onInvalid` with the key of each value that is not a text, and skips it. */
export function readTexts(value: unknown, onInvalid: (key: string) => void = () => {}): Texts {
  const texts = new Map<string, Text>()
  const visit = (part: unknown, key: string): void => {
    if (typeof part === 'string') texts.set(key, part)
    else if (typeof part !== 'object' || part === null || Array.isArray(part)) onInvalid(key)
    else if (key !== '' && isPlural(part)) texts.set(key, part)
    else for (const [name, below] of Object.entries(part)) visit(below, key === '' ? name : `${key}.${name}`)
  }
  visit(value, '')
  return texts
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
export function readCatalogue(data: readonly PluginData[]): ReadonlyMap<string, Texts> {
  const languages = new Map<string, Map<string, Text>>()
  // The bot's own texts come last, so that they override.
  for (const { owner, name, value } of [...data].sort((a, b) => (a.owner === '' ? 1 : 0) - (b.owner === '' ? 1 : 0))) {
    const language = languageOf(name)
    if (language === undefined) continue
    const texts = languages.get(language) ?? new Map<string, Text>()
    languages.set(language, texts)
    for (const [key, text] of readTexts(value)) texts.set(owner === '' ? key : `${owner}.${key}`, text)
  }
  return languages
}

/** `{name}` or `{when:date}`. */
export const placeholder = /\{\s*([\w-]+)\s*(?::\s*(\w+)\s*)?\}/g

/** The sorted names of the values in a text. Plural forms share all their values, and `count`. */
export function placeholdersOf(text: Text): string[] {
  const names = new Set(typeof text === 'string' ? [] : ['count'])
  for (const part of typeof text === 'string' ? [text] : Object.values(text))
    for (const [, name] of part.matchAll(placeholder)) names.add(name!)
  return [...names].sort()
}

/** The formats in a text: `date` for `{when:date}`. */
export const stylesOf = (text: Text): string[] =>
  (typeof text === 'string' ? [text] : Object.values(text)).flatMap((part) =>
    [...part.matchAll(placeholder)].flatMap(([, , style]) => style ?? []),
  )

import type { PluginData, Text } from '@botwright/framework'

/** What the keys of the framework's own texts begin with, in the files of a bot. */
export const ownPrefix = 'framework.'

/** The texts of one language by key; keys of nested objects are joined by a dot. */
export type Texts = ReadonlyMap<string, Text>

const forms = new Set(['zero', 'one', 'two', 'few', 'many', 'other'])

/** An object with a text for `other`, and for nothing but forms of a number. */
const isPlural = (value: object): value is Record<string, string> =>
  'other' in value && Object.entries(value).every(([form, text]) => forms.has(form) && typeof text === 'string')

/** Reads one file. What is no text is told to `wrong`, and passed over. */
export function readTexts(value: unknown, wrong: (key: string) => void = () => {}): Texts {
  const texts = new Map<string, Text>()
  const visit = (part: unknown, key: string): void => {
    if (typeof part === 'string') texts.set(key, part)
    else if (typeof part !== 'object' || part === null || Array.isArray(part)) wrong(key)
    else if (key !== '' && isPlural(part)) texts.set(key, part)
    else for (const [name, below] of Object.entries(part)) visit(below, key === '' ? name : `${key}.${name}`)
  }
  visit(value, '')
  return texts
}

/** The language that a file is named after: `locales/de.json` is `de`. Undefined when it is none. */
export function languageOf(name: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(name.slice(name.lastIndexOf('/') + 1))[0]
  } catch {
    return undefined
  }
}

/** All languages. Texts of a plugin have its name before their keys, and the bot's own text of the same key wins. */
export function readCatalogue(data: readonly PluginData[]): ReadonlyMap<string, Texts> {
  const languages = new Map<string, Map<string, Text>>()
  // The bot's own come last.
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

/** The names of the values that a text shows, sorted. The forms of a number share the values of all of them, and its `count`. */
export function placeholdersOf(text: Text): string[] {
  const names = new Set(typeof text === 'string' ? [] : ['count'])
  for (const part of typeof text === 'string' ? [text] : Object.values(text))
    for (const [, name] of part.matchAll(placeholder)) names.add(name!)
  return [...names].sort()
}

/** How a text shows its values, where it says so: `date` of `{when:date}`. */
export const stylesOf = (text: Text): string[] =>
  (typeof text === 'string' ? [text] : Object.values(text)).flatMap((part) =>
    [...part.matchAll(placeholder)].flatMap(([, , style]) => style ?? []),
  )

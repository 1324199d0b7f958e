import type { PluginData, PluginProblem, Text } from '@botwright/framework'
import { didYouMean, frameworkTexts } from '@botwright/framework/start'
import { languageOf, ownPrefix, placeholdersOf, readTexts, stylesOf, type Texts } from './catalogue.ts'
import { styles } from './translate.ts'

/** Compares every language with that of the bot: keys that are missing or too many, other values, forms of numbers. */
export function checkTexts(data: readonly PluginData[], fallback: string): PluginProblem[] {
  const problems: PluginProblem[] = []
  for (const owner of new Set(data.map((one) => one.owner))) {
    const files = data.filter((one) => one.owner === owner)
    const read = files.map(({ file, name, value }) => {
      const tell = (text: string) => void problems.push({ file, text })
      const language = languageOf(name)
      if (language === undefined) tell('its name is not a language tag; use one such as de.json or pt-BR.json')
      return {
        file,
        language,
        tell,
        texts: readTexts(value, (key) =>
          tell(`${key || 'the file'} is not a text; write a text, or an object of texts`),
        ),
      }
    })
    const base = read.find((one) => one.language === fallback)
    if (!base) {
      if (read[0])
        read[0].tell(`there is no ${fallback}.json next to it, although "${fallback}" is the fallback language`)
      continue
    }
    for (const { language, texts, tell } of read) {
      if (language === undefined) continue
      for (const [key, text] of texts) {
        if (owner === '' && key.startsWith(ownPrefix)) ownProblem(key, text, tell)
        formsProblem(key, text, language, tell)
        for (const style of stylesOf(text).filter((one) => !styles.includes(one)))
          tell(`"${key}" shows a value as "${style}"; there are ${styles.join(', ')}`)
      }
      if (texts !== base.texts) compare(authored(texts), authored(base.texts), fallback, tell)
    }
  }
  return problems
}

/** The texts that are not the framework's own: of those every language may replace as many as it likes. */
const authored = (texts: Texts): Texts => new Map([...texts].filter(([key]) => !key.startsWith(ownPrefix)))

/** A replaced text of the framework must be one, and can show only what the framework knows there. */
function ownProblem(key: string, text: Text, tell: (text: string) => void): void {
  const name = key.slice(ownPrefix.length)
  const own = Object.hasOwn(frameworkTexts, name) ? frameworkTexts[name as keyof typeof frameworkTexts].en : undefined
  if (own === undefined) {
    const near = didYouMean(name, Object.keys(frameworkTexts))
    tell(`"${key}" is not a text of the framework${near === undefined ? '' : `; did you mean "${ownPrefix}${near}"?`}`)
    return
  }
  const known = placeholdersOf(own)
  const unknown = placeholdersOf(text).filter((value) => !known.includes(value))
  if (unknown.length === 0) return
  const those = known.length === 0 ? 'that text has no values' : `its values are ${listed(known)}`
  tell(`"${key}" shows ${listed(unknown)}, and ${those}`)
}

function compare(texts: Texts, base: Texts, fallback: string, tell: (text: string) => void): void {
  for (const [key, text] of base) {
    const other = texts.get(key)
    if (other === undefined) {
      tell(`"${key}" is missing; people read it in "${fallback}"`)
      continue
    }
    const [wanted, found] = [placeholdersOf(text), placeholdersOf(other)]
    const missing = wanted.filter((name) => !found.includes(name))
    const unknown = found.filter((name) => !wanted.includes(name))
    if (missing.length > 0) tell(`"${key}" does not show ${listed(missing)}, as "${fallback}" does`)
    if (unknown.length > 0) tell(`"${key}" shows ${listed(unknown)}, which "${fallback}" does not`)
  }
  for (const key of texts.keys())
    if (!base.has(key)) tell(`"${key}" is not in "${fallback}"; remove it, or add it there`)
}

function formsProblem(key: string, text: string | object, language: string, tell: (text: string) => void): void {
  if (typeof text === 'string') return
  const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories
  const missing = needed.filter((form) => !(form in text))
  if (missing.length > 0) tell(`"${key}" has no form for ${missing.join(', ')}, which "${language}" needs`)
}

const listed = (names: readonly string[]): string => names.map((name) => `{${name}}`).join(', ')

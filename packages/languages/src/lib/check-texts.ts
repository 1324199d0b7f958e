import type { PluginData, PluginProblem } from '@botwright/framework'
import { languageOf, placeholdersOf, readTexts, stylesOf, type Texts } from './catalogue.ts'
import { styles } from './translate.ts'

/** Compares every language with that of the bot: keys that are missing or too many, other values, forms of numbers. */
export function checkTexts(data: readonly PluginData[], fallback: string): PluginProblem[] {
  const problems: PluginProblem[] = []
  for (const owner of new Set(data.map((one) => one.owner))) {
    const files = data.filter((one) => one.owner === owner)
    const read = files.map(({ file, name, value }) => {
      const tell = (text: string) => void problems.push({ file, text })
      const language = languageOf(name)
      if (language === undefined)
        tell('it is named after no language; name it after one, such as de.json or pt-BR.json')
      return {
        file,
        language,
        tell,
        texts: readTexts(value, (key) => tell(`${key || 'the file'} is no text; write a text, or an object of texts`)),
      }
    })
    const base = read.find((one) => one.language === fallback)
    if (!base) {
      if (read[0])
        read[0].tell(
          `there is no ${fallback}.json beside it, and "${fallback}" is the language of those who chose none`,
        )
      continue
    }
    for (const { language, texts, tell } of read) {
      if (language === undefined) continue
      for (const [key, text] of texts) {
        formsProblem(key, text, language, tell)
        for (const style of stylesOf(text).filter((one) => !styles.includes(one)))
          tell(`"${key}" shows a value as "${style}"; there are ${styles.join(', ')}`)
      }
      if (texts !== base.texts) compare(texts, base.texts, fallback, tell)
    }
  }
  return problems
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

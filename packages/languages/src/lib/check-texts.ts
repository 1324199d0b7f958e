import type { PluginData, PluginProblem, Text } from '@botwright/framework'
import { didYouMean, frameworkTexts } from '@botwright/framework/start'
import { languageOf, ownPrefix, placeholdersOf, readTexts, stylesOf, type Texts } from './catalogue.ts'
import { styles } from './translate.ts'

/** Compares every language with the bot's language: missing and extra keys, different values, plural forms. */
export function checkTexts(data: readonly PluginData[], fallback: string): PluginProblem[] {
  const problems: PluginProblem[] = []
  for (const owner of new Set(data.map((one) => one.owner))) {
    const files = data.filter((one) => one.owner === owner)
    const read = files.map(({ file, name, value }) => {
      const report = (text: string) => void problems.push({ file, text })
      const language = languageOf(name)
      if (language === undefined)
        report('the file name is not a language; rename it, for example to de.json or pt-BR.json')
      return {
        file,
        language,
        report,
        texts: readTexts(value, (key) =>
          report(`${key || 'the file'} is not a string; write a string or an object of strings`),
        ),
      }
    })
    const base = read.find((one) => one.language === fallback)
    if (!base) {
      if (read[0]) read[0].report(`${fallback}.json is missing in this folder; "${fallback}" is the fallback language`)
      continue
    }
    for (const { language, texts, report } of read) {
      if (language === undefined) continue
      for (const [key, text] of texts) {
        if (owner === '' && key.startsWith(ownPrefix)) ownProblem(key, text, report)
        formsProblem(key, text, language, report)
        for (const style of stylesOf(text).filter((one) => !styles.includes(one)))
          report(`"${key}" has an unknown format "${style}"; use ${styles.join(', ')}`)
      }
      if (texts !== base.texts) compare(authored(texts), authored(base.texts), fallback, report)
    }
  }
  return problems
}

/** Without the texts that replace the framework's own: each language may replace any of them. */
const authored = (texts: Texts): Texts => new Map([...texts].filter(([key]) => !key.startsWith(ownPrefix)))

/** Reports a text that replaces none of the framework's, or that uses a value which the framework does not provide. */
function ownProblem(key: string, text: Text, report: (text: string) => void): void {
  const name = key.slice(ownPrefix.length)
  const own = Object.hasOwn(frameworkTexts, name) ? frameworkTexts[name as keyof typeof frameworkTexts].en : undefined
  if (own === undefined) {
    const near = didYouMean(name, Object.keys(frameworkTexts))
    report(
      `"${key}" is not a text of the framework${near === undefined ? '' : `; did you mean "${ownPrefix}${near}"?`}`,
    )
    return
  }
  const known = placeholdersOf(own)
  const unknown = placeholdersOf(text).filter((value) => !known.includes(value))
  if (unknown.length === 0) return
  const those = known.length === 0 ? 'that text has no values' : `the values of that text are ${listed(known)}`
  report(`"${key}" uses ${listed(unknown)}, but ${those}`)
}

function compare(texts: Texts, base: Texts, fallback: string, report: (text: string) => void): void {
  for (const [key, text] of base) {
    const other = texts.get(key)
    if (other === undefined) {
      report(`"${key}" is missing; users see it in "${fallback}"`)
      continue
    }
    const [wanted, found] = [placeholdersOf(text), placeholdersOf(other)]
    const missing = wanted.filter((name) => !found.includes(name))
    const unknown = found.filter((name) => !wanted.includes(name))
    if (missing.length > 0) report(`"${key}" does not use ${listed(missing)}, but "${fallback}" does`)
    if (unknown.length > 0) report(`"${key}" uses ${listed(unknown)}, but "${fallback}" does not`)
  }
  for (const key of texts.keys())
    if (!base.has(key)) report(`"${key}" is not in "${fallback}"; remove it here or add it there`)
}

function formsProblem(key: string, text: string | object, language: string, report: (text: string) => void): void {
  if (typeof text === 'string') return
  const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories
  const missing = needed.filter((form) => !(form in text))
  if (missing.length > 0) report(`"${key}" has no plural form ${missing.join(', ')}, which "${language}" requires`)
}

const listed = (names: readonly string[]): string => names.map((name) => `{${name}}`).join(', ')

import { languageChain, type PluginData, type PluginProblem, type Text } from '@botwright/framework'
import { didYouMean, frameworkTexts } from '@botwright/framework/start'
import { codePrefix, languageOf, ownPrefix, readTexts, type Texts } from './catalogue.ts'
import { argumentsOf, type Message, missingForms, stylesOf } from './message.ts'
import { namedStyles } from './translate.ts'

/** One file, with the function that reports a problem in it. */
interface Read {
  language: string | undefined
  texts: Texts
  report: (text: string) => void
}

/** Checks every text, and compares every language with the bot's own: missing and extra keys, different values, plural forms. */
export function checkTexts(data: readonly PluginData[], fallback: string): PluginProblem[] {
  const problems: PluginProblem[] = []
  const readOf = (owner: string) =>
    data
      .filter((one) => one.owner === owner)
      .map((one): Read => {
        const report = (text: string) => void problems.push({ file: one.file, text })
        const language = languageOf(one.name)
        if (language === undefined)
          report('the file name is not a language; rename it, for example to de.json or pt-BR.json')
        return { language, report, texts: readTexts(one, report) }
      })
  const bot = readOf('')
  for (const owner of new Set(data.map((one) => one.owner))) {
    const read = owner === '' ? bot : readOf(owner)
    const base = read.find((one) => one.language === fallback)
    if (base) checkLanguages(read, base, fallback)
    else if (owner === '') read[0]?.report(missingFile(fallback))
    else checkReplaced(owner, read, bot, fallback)
  }
  return problems
}

const missingFile = (fallback: string): string =>
  `${fallback}.json is missing in this folder; "${fallback}" is the fallback language`

/** Checks a plugin that has no texts in the bot's language: the bot needs its own for all of them. */
function checkReplaced(owner: string, read: readonly Read[], bot: readonly Read[], fallback: string): void {
  const own = bot.find((one) => one.language === fallback)?.texts.messages
  const [{ texts, report } = { texts: undefined, report: undefined }] = read
  // Texts of the framework are the bot's.
  const keys = [...(texts?.messages.keys() ?? [])].filter((key) => !key.startsWith(ownPrefix))
  const lacking = keys.filter((key) => !own?.has(`${owner}.${key}`))
  if (lacking.length > 0) report?.(`${missingFile(fallback)}; or add the texts of "${owner}" to the bot's own file`)
}

function checkLanguages(read: readonly Read[], base: Read, fallback: string): void {
  const inCode = new Set(read.flatMap(({ texts }) => [...texts.own.keys()].filter(isInCode)))
  for (const { language, texts, report } of read) {
    if (language === undefined) continue
    for (const [name, text] of texts.own) if (!isInCode(name)) checkOwn(name, text, language, report)
    // A text that "de-AT" lacks comes from "de".
    const chain = languageChain(language)
    const all = read.flatMap((one) => (one.language !== undefined && chain.includes(one.language) ? [one.texts] : []))
    if (!all.includes(base.texts))
      for (const name of inCode)
        if (!all.some(({ own }) => own.has(name)))
          report(`"${ownPrefix}${name}" is missing; users see it as it is in the code`)
    for (const [key, message] of texts.messages) checkMessage(key, message, language, report)
    if (texts !== base.texts) compare({ texts, report }, all, base.texts, fallback)
  }
}

const isInCode = (name: string): boolean => name.startsWith(codePrefix)

function checkMessage(key: string, message: Message, language: string, report: (text: string) => void): void {
  for (const { argument, forms } of missingForms(message, language))
    report(`"${key}" has no plural form ${quoted(forms)} of {${argument}}, which "${language}" requires`)
  for (const { type, style } of stylesOf(message))
    if (!namedStyles[type].includes(style))
      report(
        `"${key}" has an unknown ${type} style "${style}"; use ${namedStyles[type].join(', ')}, or a skeleton: ::…`,
      )
}

/** Reports a text that replaces none of the framework's, or that uses a value which the framework does not provide. */
function checkOwn(name: string, text: Text, language: string, report: (text: string) => void): void {
  const key = ownPrefix + name
  const own = Object.hasOwn(frameworkTexts, name) ? frameworkTexts[name as keyof typeof frameworkTexts].en : undefined
  if (own === undefined) {
    const near = didYouMean(name, Object.keys(frameworkTexts))
    report(
      `"${key}" is not a text of the framework${near === undefined ? '' : `; did you mean "${ownPrefix}${near}"?`}`,
    )
    return
  }
  if (typeof text === 'object') {
    const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    const missing = needed.filter((form) => !(form in text))
    if (missing.length > 0) report(`"${key}" has no plural form ${quoted(missing)}, which "${language}" requires`)
  }
  const known = placeholdersOf(own)
  const unknown = placeholdersOf(text).filter((value) => !known.includes(value))
  if (unknown.length === 0) return
  const those = known.length === 0 ? 'that text has no values' : `the values of that text are ${listed(known)}`
  report(`"${key}" uses ${listed(unknown)}, but ${those}`)
}

/** Compares the texts of a language with the bot's own. `all` are those of the language and of the more general one. */
function compare(
  { texts, report }: Pick<Read, 'texts' | 'report'>,
  all: readonly Texts[],
  base: Texts,
  fallback: string,
): void {
  for (const [key, message] of base.messages) {
    const other = texts.messages.get(key)
    if (other === undefined) {
      if (!all.some(({ messages }) => messages.has(key))) report(`"${key}" is missing; users see it in "${fallback}"`)
      continue
    }
    const [wanted, found] = [[...argumentsOf(message).keys()], [...argumentsOf(other).keys()]]
    const missing = wanted.filter((name) => !found.includes(name))
    const unknown = found.filter((name) => !wanted.includes(name))
    if (missing.length > 0) report(`"${key}" does not use ${listed(missing)}, but "${fallback}" does`)
    if (unknown.length > 0) report(`"${key}" uses ${listed(unknown)}, but "${fallback}" does not`)
  }
  for (const key of texts.messages.keys())
    if (!base.messages.has(key)) report(`"${key}" is not in "${fallback}"; remove it here or add it there`)
}

/** The values that a text of the framework, or its replacement, uses: `{left}`; plural forms also use `count`. */
function placeholdersOf(text: Text): string[] {
  const names = new Set(typeof text === 'string' ? [] : ['count'])
  for (const part of typeof text === 'string' ? [text] : Object.values(text))
    for (const [, name] of part.matchAll(/\{(\w+)\}/g)) names.add(name!)
  return [...names].sort()
}

const listed = (names: readonly string[]): string => names.map((name) => `{${name}}`).join(', ')

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')

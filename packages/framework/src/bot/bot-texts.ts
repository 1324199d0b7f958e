import { render } from '../author/texts/phrase.ts'
import { ownLanguages, table } from '../author/texts/table.ts'
import { type BotTexts, languageChain, type OwnLanguage, type TextSource } from '../author/texts/words.ts'

/** The texts of one bot. `language` is the bot's, for readers whose language no plugin provides. */
export function createTexts(language: OwnLanguage = 'en'): BotTexts {
  let source: TextSource | undefined

  function find(chain: Iterable<string>, key: keyof typeof table) {
    for (const one of chain) {
      const text = source?.find(one, key) ?? (isOwn(one) ? table[key][one] : undefined)
      if (text !== undefined) return [text, one] as const
    }
    return [table[key].en, 'en'] as const
  }

  /** A text that an author wrote in code: each language may have it under `code`, by the text itself. */
  function translate(chain: readonly string[], text: string): string {
    const found = chain.map((one) => source?.find(one, `code.${text}`)).find((one) => typeof one === 'string')
    return found ?? text
  }

  const texts: BotTexts = {
    use: (one) => void (source = one),
    get translates() {
      return source !== undefined
    },
    languageOf: async (reader) => (source ? source.languageOf(reader) : language),
    say: async (words, reader) => texts.in(await texts.languageOf(reader), words),
    in(wanted, words) {
      const chain = languageChain(wanted)
      const own = new Set([...chain, language, 'en'])
      return render(
        words,
        (key) => find(own, key),
        (text) => translate(chain, text),
      )
    },
  }
  return texts
}

const isOwn = (language: string): language is OwnLanguage => (ownLanguages as readonly string[]).includes(language)

import { render } from '../author/texts/phrase.ts'
import { ownLanguages, table } from '../author/texts/table.ts'
import { type BotTexts, languageChain, type OwnLanguage, type TextSource } from '../author/texts/words.ts'

/** The texts of one bot. `language` is the bot's, for readers whose language no plugin provides. */
export function createTexts(language: OwnLanguage = 'en'): BotTexts {
  let source: TextSource | undefined

  function find(chain: ReadonlySet<string>, key: keyof typeof table) {
    for (const one of chain) {
      const text = source?.find(one, key) ?? (isOwn(one) ? table[key][one] : undefined)
      if (text !== undefined) return [text, one] as const
    }
    return [table[key].en, 'en'] as const
  }

  const texts: BotTexts = {
    use: (one) => void (source = one),
    languageOf: async (reader) => (source ? source.languageOf(reader) : language),
    say: async (words, reader) => (typeof words === 'string' ? words : texts.in(await texts.languageOf(reader), words)),
    in(wanted, words) {
      const chain = new Set([...languageChain(wanted), language, 'en'])
      return render(words, (key) => find(chain, key))
    },
  }
  return texts
}

const isOwn = (language: string): language is OwnLanguage => (ownLanguages as readonly string[]).includes(language)

import type { BotTexts } from '../../author/texts/words.ts'
import type { ArgPlace } from '../../author/args/arg.ts'

/** The contexts of a bot carry its services under this symbol. */
const services: unique symbol = Symbol.for('botwright.context.services') as never

/** The words as the person at a place sees them; undefined if the bot has no translations. */
export function inReadersLanguage(words: readonly string[], place: ArgPlace): Promise<string[]> | undefined {
  const { texts } = (place as { [services]?: { texts: BotTexts } })[services] ?? {}
  if (!texts?.translates) return undefined
  return texts.languageOf(place).then((language) => words.map((word) => texts.in(language, word)))
}

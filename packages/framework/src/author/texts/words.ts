/** A language that every text of the framework has. */
export type OwnLanguage = 'en' | 'de'

/** One text, or one per plural form (`Intl.PluralRules`), chosen by `{count}`. */
export type Text = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>

/** A text of the table with its values, translated into the reader's language when it is sent. Plain data: it crosses threads. */
export interface Phrase {
  // Its key in the table.
  readonly text: string
  readonly values?: Readonly<Record<string, Words | number>>
}

/** The rules of several guards as one phrase: "only in servers, for people with the role mods". */
export interface Rules {
  readonly rules: readonly Words[]
  readonly by: 'list' | 'or' | 'and'
}

/** A text for a user: an author's own, a phrase of the framework, or several of both. */
export type Words = string | Phrase | Rules | readonly Words[]

/** The reader of a text. The context of a handler fits. */
export interface Reader {
  readonly user?: { readonly id: string }
  readonly server_id?: string | null
}

/** How a plugin replaces the framework's own texts: `context(({ texts }) => { texts.use({ … }) … })`. */
export interface TextSource {
  /** The language of a reader, as a tag such as `de-AT`. */
  languageOf(reader: Reader): string | Promise<string>
  /** A text in exactly this language, in place of the framework's or, as `code.<text>`, of the author's own. */
  find(language: string, key: string): Text | undefined
}

/** The framework's own texts, as a plugin's `context.ts` sees them. */
export interface OwnTexts {
  /** Lets the plugin choose their language, and replace texts. The last plugin wins. */
  use(source: TextSource): void
}

/** The framework's own texts, in the language of the reader. */
export interface BotTexts extends OwnTexts {
  languageOf(reader: Reader): Promise<string>
  // Whether a plugin may have translations of an author's texts.
  readonly translates: boolean
  // The words in the language of a reader.
  say(words: Words, reader: Reader): Promise<string>
  // The words in a language. Missing texts come from the bot's language, then from English.
  in(language: string, words: Words): string
}

/** `de-AT`, then `de`. */
export function languageChain(language: string): string[] {
  const parts = language.split('-')
  return parts.map((_, i) => parts.slice(0, parts.length - i).join('-'))
}

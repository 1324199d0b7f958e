import { type Context, languageChain } from '@botwright/framework'

/** The languages that every text of these plugins has. */
export const languages = ['en', 'de'] as const
type Language = (typeof languages)[number]

/** The same texts in each language. */
type Texts<Key extends string> = Readonly<Record<Language, Readonly<Record<Key, string>>>>

/** Fills in a text: `say('voted', { choice })`. */
export type Say<Key extends string> = (key: Key, values?: Readonly<Record<string, string | number>>) => string

/** Whom a text is for: one person, or everyone in a server. */
interface Readers {
  user_id?: string
  server_id?: string
}

/** The addition of @botwright/languages, if the bot mounts it. */
interface Languages {
  language?: (of: Readers) => Promise<string>
}

/** The texts in the language that @botwright/languages has for the readers. Without it, or without texts in that language, in `fallback`. */
export async function textsFor<Key extends string>(
  texts: Texts<Key>,
  ctx: Pick<Context, 'kind'>,
  { fallback, ...readers }: Readers & { fallback: Language },
): Promise<Say<Key>> {
  const { language } = ctx as Languages
  const chain = language ? languageChain(await language(readers)) : []
  const own = texts[chain.find(hasTexts) ?? fallback]
  return (key, values = {}) => fill(own[key], values)
}

const hasTexts = (language: string): language is Language => languages.some((one) => one === language)

/** Replaces `{name}` by values; other braces stay. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (all, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : all))

import { allTokens, type Mention, mentionOf, parse, parseInline, type Token } from './parser.ts'

/** Names the user, channel or role of a mention, with its sign. */
type NameOf = (mention: Mention) => string

/** Whether a text may be shown otherwise than it is written. */
export const mayHaveFormatting = (text: string): boolean => /[\\`*_~[<&>#]/.test(text)

/** A text without its formatting, on one line. `inline` is for titles, which have no blocks. */
export function plainText(text: string, nameOf: NameOf, { inline = false } = {}): string {
  const words = (tokens: readonly Token[]): string[] =>
    tokens.flatMap((token) => {
      const mention = mentionOf(token)
      if (mention) return [nameOf(mention)]
      if (token.type === 'softbreak' || token.type === 'hardbreak') return [' ']
      return token.children ? [...words(token.children), ' '] : [token.content]
    })
  return words(inline ? parseInline(text) : parse(text))
    .join('')
    .trim()
}

/** The users and roles that a text mentions, and whether it mentions everyone. */
export interface Mentions {
  users: ReadonlySet<string>
  roles: ReadonlySet<string>
  everyone: boolean
}

/** The mentions of a text: none in code, and none that is escaped. */
export function mentionsIn(text: string): Mentions {
  const tokens = allTokens(parse(text))
  const mentions = tokens.flatMap((token) => mentionOf(token) ?? [])
  const ids = (sign: Mention['sign']) => new Set(mentions.filter((each) => each.sign === sign).map(({ id }) => id))
  // Treat `@here` like `@everyone`: who was online when the message arrived is not stored.
  return { users: ids('@'), roles: ids('@&'), everyone: tokens.some(({ type }) => type === 'everyone') }
}

/** The addresses of the links in a text. */
export const linksOf = (text: string): string[] =>
  allTokens(parse(text)).flatMap((token) => {
    const href = token.type === 'link_open' ? token.attrGet('href') : null
    return typeof href === 'string' && URL.canParse(href) ? [href] : []
  })

/** The links of a text that lead straight to a picture (§2): the pictures are shown under the message. */
export function pictureLinks(text: string): string[] {
  // Most texts have none, and need not be parsed for this.
  if (!/\.(?:png|jpe?g|gif|webp)/i.test(text)) return []
  return [...new Set(linksOf(text).filter((href) => /\.(?:png|jpe?g|gif|webp)$/i.test(new URL(href).pathname)))]
}

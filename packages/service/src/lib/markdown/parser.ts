import { everyoneAt } from '@botwright/protocol/typed-text'
import MarkdownIt from 'markdown-it'

// The one parser of messages (§2): the page renders its tokens, and whatever the service reads from a text, it reads from them.
// No HTML, inline pictures or tables. Everything else is rendered as nodes, so a message cannot inject markup.
const parser = new MarkdownIt({ html: false, linkify: true, breaks: true }).disable([
  'image',
  'table',
  'reference',
  'lheading',
])

/** A token of a text. */
export type Token = ReturnType<typeof parser.parse>[number]

/** A user, channel or role that a text mentions. */
export interface Mention {
  sign: '@' | '#' | '@&'
  id: string
}

/** Parts of a text whose first character is marked, by their mark: their length, and their number. See `livePlaces`. */
export type Marks = ReadonlyMap<number, { length: number; index: number }>

const mention = /<(@&?|#)([0-9a-f]{8}-[0-9a-f-]{27})>/iy
parser.inline.ruler.before('autolink', 'mention', (state, silent) => {
  mention.lastIndex = state.pos
  const found = mention.exec(state.src)
  if (!found) return false
  if (!silent) state.push('mention', '', 0).meta = { sign: found[1], id: found[2]?.toLowerCase() }
  state.pos += found[0].length
  return true
})

parser.inline.ruler.before('autolink', 'everyone', (state, silent) => {
  const found = everyoneAt(state.src, state.pos)
  // An address such as `bob@here.example` mentions no one.
  if (found === undefined || /[\p{L}\p{N}./-]/u.test(state.src.charAt(state.pos - 1))) return false
  if (!silent) state.push('everyone', '', 0).content = found
  state.pos += found.length
  return true
})

parser.inline.ruler.before('escape', 'marked', (state, silent) => {
  const marks = (state.env as { marks?: Marks }).marks
  const place = marks?.get(state.src.codePointAt(state.pos + 1) ?? 0)
  if (!place || state.pos + place.length > state.posMax) return false
  if (!silent) state.push('marked', '', 0).meta = { index: place.index }
  state.pos += place.length
  return true
})

/** The tokens of a message. */
export const parse = (text: string, marks?: Marks): Token[] => parser.parse(text, marks ? { marks } : {})

/** The tokens of a title, which has one line. */
export const parseInline = (text: string): Token[] => parser.parseInline(text, {})

/** The positions of the links in a text, whether or not they are in code. */
export const linksIn = (text: string): { index: number; lastIndex: number }[] => parser.linkify.match(text) ?? []

/** The mention of a token, if it is one. */
export const mentionOf = ({ type, meta }: Token): Mention | undefined =>
  type === 'mention' ? (meta as unknown as Mention) : undefined

/** All tokens of a text, those inside other tokens included. */
export const allTokens = (tokens: readonly Token[]): Token[] =>
  tokens.flatMap((token) => [token, ...allTokens(token.children ?? [])])

import { foldName } from '@botwright/protocol/typed-text'
import { allTokens, linksIn, type Marks, parse } from './parser.ts'

// People type names, `@ann`, and messages contain ids, `<@id>` (§2). A name counts wherever the parser reads text: not in code, in an
// address, or after a backslash. The backslash is not sent, so that `toTyped` can show every text of a message as it is.

interface Place {
  start: number
  end: number
}

interface Named {
  id: string
  name: string
}

/** The people and channels that a text may name, by their folded names. */
export type Names = Readonly<Record<'@' | '#', ReadonlyMap<string, Named>>>

/**
 * The names of people and channels. Of several channels with one name, it means the first. A name with a backslash cannot be typed:
 * its end would look like the escape of the next sign.
 */
export function namesOf(people: readonly Named[], channels: readonly Named[]): Names {
  const byName = (all: readonly Named[]) =>
    new Map(
      [...all]
        .reverse()
        .filter(({ name }) => !name.includes('\\'))
        .map((each): [string, Named] => [foldName(each.name), each]),
    )
  return { '@': byName(people), '#': byName(channels) }
}

/** More places than fit into a message. */
const MOST = 10_000
const FIRST_MARK = 0xf0000
const privateUse = /[\u{F0000}-\u{10FFFF}]/gu

/**
 * The places where the parser reads text, without those in code and in addresses. Each place is marked by a character of private
 * use after its first character; marks that do not reach the parser's rule are in something else.
 */
function livePlaces<T extends Place>(text: string, places: readonly T[]): T[] {
  if (places.length === 0) return []
  const links = linksIn(text)
  const marks = new Map<number, { length: number; index: number }>()
  const unmarked = (from: number, to?: number) => text.slice(from, to).replace(privateUse, 'xx')
  let marked = ''
  let at = 0
  for (const [index, { start, end }] of places.slice(0, MOST).entries()) {
    const mark = FIRST_MARK + index
    const place = text.charAt(start) + String.fromCodePoint(mark) + unmarked(start + 1, end)
    marked += unmarked(at, start) + place
    marks.set(mark, { length: place.length, index })
    at = end
  }
  const found = allTokens(parse(marked + unmarked(at), marks satisfies Marks))
  const live = new Set(found.flatMap(({ type, meta }) => (type === 'marked' ? [meta?.['index']] : [])))
  return places.filter(
    ({ start, end }, index) => live.has(index) && !links.some((link) => link.index < end && start < link.lastIndex),
  )
}

interface NamePlace extends Place {
  sign: '@' | '#'
  named: Named
  /** The number of backslashes before the sign, which the place includes. */
  backslashes: number
}

/** The end of a text in which a sign belongs to a word, an address, a mention or a character reference. */
const partOfWord = /[\p{L}\p{N}\p{M}@#<&]$/u
/** The rest of a longer word after a name, except for `@ann's`. */
const goesOn = /[\p{L}\p{N}\p{M}]|[._-][\p{L}\p{N}]|['’](?!s(?![\p{L}\p{N}]))[\p{L}\p{N}]/uy

/** The names in a text, the longest at each sign. */
function namePlaces(text: string, names: Names): NamePlace[] {
  const longest = { '@': lengthOfLongest(names['@']), '#': lengthOfLongest(names['#']) }
  const found: NamePlace[] = []
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    if (sign !== '@' && sign !== '#') continue
    let start = at
    while (start > from && text.charAt(start - 1) === '\\') start--
    if (partOfWord.test(text.slice(Math.max(from, start - 2), start))) continue
    const name = longestName(text, at + 1, { names: names[sign], longest: longest[sign] })
    if (!name) continue
    found.push({ start, end: name.end, sign, named: name.named, backslashes: at - start })
    from = name.end
    at = from - 1
  }
  return found
}

const lengthOfLongest = (names: ReadonlyMap<string, Named>) =>
  [...names.keys()].reduce((most, { length }) => Math.max(most, length), 0)

/** The longest name at a position, if any is there. */
function longestName(text: string, at: number, { names, longest }: { names: Names['@']; longest: number }) {
  const letter = /\P{M}\p{M}*/uy
  let found: { named: Named; end: number } | undefined
  for (let end = at; ;) {
    letter.lastIndex = end
    if (!letter.test(text)) return found
    end = letter.lastIndex
    const folded = foldName(text.slice(at, end))
    if (folded.length > longest) return found
    const named = names.get(folded)
    goesOn.lastIndex = end
    if (named && !goesOn.test(text)) found = { named, end }
  }
}

function replacePlaces<T extends Place>(text: string, places: readonly T[], write: (place: T) => string): string {
  let written = ''
  let at = 0
  for (const place of places) {
    written += text.slice(at, place.start) + write(place)
    at = place.end
  }
  return written + text.slice(at)
}

/**
 * Converts typed text to what is sent: `@ann` becomes `<@id>`, `#general` becomes `<#id>` (§2, Message content limits). A backslash
 * before the sign keeps the name: `\@ann` becomes `@ann`, and `\\\@ann` becomes `\@ann`.
 */
export const toWire = (typed: string, names: Names): string =>
  replacePlaces(typed, livePlaces(typed, namePlaces(typed, names)), ({ start, end, sign, named, backslashes }) =>
    backslashes % 2 === 0
      ? `${'\\'.repeat(backslashes)}<${sign}${named.id}>`
      : '\\'.repeat((backslashes - 1) / 2) + typed.slice(start + backslashes, end),
  )

const wireMention = /<([@#])([0-9a-f]{8}-[0-9a-f-]{27})>/gi

/** Converts sent text back to what was typed: the reverse of `toWire`. A mention that no typed name yields remains as it is. */
export function toTyped(content: string, names: Names): string {
  const wanted = withLowerIds(content)
  const isSame = (typed: string) => withLowerIds(toWire(typed, names)) === wanted
  let typed = replacePlaces(content, livePlaces(content, namePlaces(content, names)), ({ start, end, backslashes }) => {
    return '\\'.repeat(backslashes + 1) + content.slice(start, end)
  })
  const byId = new Map(
    (['@', '#'] as const).flatMap((sign) => Array.from(names[sign].values(), ({ id, name }) => [sign + id, name])),
  )
  let at = 0
  for (const [mention, sign, id] of [...typed.matchAll(wireMention)]) {
    at = typed.indexOf(mention, at)
    const name = byId.get(sign! + id!.toLowerCase())
    const attempt = `${typed.slice(0, at)}${sign}${name}${typed.slice(at + mention.length)}`
    if (name !== undefined && isSame(attempt)) typed = attempt
    else at += mention.length
  }
  return typed
}

const withLowerIds = (content: string): string => content.replace(wireMention, (mention) => mention.toLowerCase())

/** How to type a mention: by name, or by id if the name means another. */
export const typedMention = (sign: '@' | '#', { id, name }: Named, names: Names): string =>
  toWire(sign + name, names) === `<${sign}${id}>` ? sign + name : `<${sign}${id}>`

interface EmojiPlace extends Place {
  emoji: string
}

/** Replaces `:tada:` by its emoji; unknown names stay. */
export function replaceEmojiNames(text: string, emojiOf: (name: string) => string | undefined): string {
  const places = [...text.matchAll(/:([a-z0-9_+-]{1,40}):/g)].flatMap(
    ({ 0: whole, 1: name, index: start }): EmojiPlace[] => {
      const end = start + whole.length
      if (/[\p{L}\p{N}:\\]$/u.test(text.slice(Math.max(0, start - 2), start))) return []
      if (/^[\p{L}\p{N}:]/u.test(text.slice(end, end + 2))) return []
      const emoji = emojiOf(name!)
      return emoji === undefined ? [] : [{ start, end, emoji }]
    },
  )
  return replacePlaces(text, livePlaces(text, places), ({ emoji }) => emoji)
}

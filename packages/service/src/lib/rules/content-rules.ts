import { type Embed, embedPictures, isLink } from '@botwright/protocol'
import { qualifiedEmoji } from '@botwright/protocol/typed-text'
import type { Chat } from '../chat.ts'
import type { UserRow } from '../db/rows.ts'
import { linksOf, mayHaveFormatting, plainText } from '../markdown/read.ts'
import { Refusal } from '../refusal.ts'
import { type ContentRules, hostName } from '../rule-set.ts'
import { UPLOADS } from '../uploads-path.ts'
import { countViolation } from './violations.ts'

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Normalizes look-alike letters and removes invisible characters, so that neither can hide a word. */
const plain = (text: string) => text.normalize('NFKC').replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')

/** A host name has at most 253 characters, three times as many if each is percent-encoded. */
const LONGEST_HOST = 3 * 253

/** One regular expression for all words, cached per set of rules. */
const wordPatterns = new WeakMap<ContentRules, RegExp>()
function wordPattern(rules: ContentRules): RegExp {
  let found = wordPatterns.get(rules)
  if (found === undefined) {
    const words = rules.words
      .map((word) => escaped(plain(word)))
      .filter((word) => word !== '')
      .join('|')
    // Whole words only. Without any words it matches nothing.
    found = new RegExp(words === '' ? '(?!)' : `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'iu')
    wordPatterns.set(rules, found)
  }
  return found
}

/** The host of a link's authority as a browser reads it: user info, percent-encoding and upper case cannot hide it. */
function hostOf(authority: string): string {
  const written = authority.slice(authority.lastIndexOf('@') + 1)
  // Up to its last letter or digit. The greedy match searches from the end, so it takes linear time.
  const host = (/^.*[\p{L}\p{N}]/su.exec(written)?.[0] ?? '').replace(/:\d+$/, '').replace(/\.$/, '')
  if (host.length > LONGEST_HOST) return ''
  return hostName(host)
}

/** A text as it was written and as it is shown: neither markup nor character references can hide a word or a link. */
const formsOf = (text: string): string[] => [
  text,
  ...(mayHaveFormatting(text) ? [plainText(text, () => ' '), ...linksOf(text)] : []),
  // Fields of embeds and buttons, as a browser reads them: it removes tabs and line breaks.
  ...(isLink(text) ? [new URL(text).href] : []),
]

function brokenRule(texts: readonly string[], rules: ContentRules): string | undefined {
  for (const text of texts.flatMap(formsOf).map(plain)) {
    if (wordPattern(rules).test(text)) return 'a blocked word'
    // Browsers read any number of slashes as two.
    for (const [, authority = ''] of text.matchAll(/https?:[\\/]*([^\s/\\?#()<>[\]]+)/gi)) {
      const name = hostOf(authority)
      if (rules.hosts.some((each) => name === each || name.endsWith(`.${each}`))) return 'a blocked link'
    }
  }
  return undefined
}

/** All strings in a value, at any depth: embeds and buttons contain texts and links in many places. */
function textsIn(value: unknown, found: string[] = []): string[] {
  if (typeof value === 'string') found.push(value)
  else if (Array.isArray(value)) for (const each of value) textsIn(each, found)
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) textsIn(each, found)
  return found
}

/** Refuses content that breaks the content rules, and counts a violation for the author (row 31). */
export function checkContent(chat: Chat, author: Pick<UserRow, 'id'>, parts: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(parts)) {
    refuseBroken(chat, field, value, () => countViolation(chat, author.id))
  }
}

/** Refuses a name that breaks the content rules, for a person who does not exist yet. */
export function checkNewName(chat: Chat, username: string): void {
  refuseBroken(chat, 'username', username)
}

function refuseBroken(chat: Chat, field: string, value: unknown, record?: () => void): void {
  const broken = brokenRule(textsIn(value), chat.rules)
  if (broken === undefined) return
  throw new Refusal(400, `${field}: contains ${broken}, which the content rules forbid`, record && { record })
}

/** Whether a picture is one of the service's uploads, or on an allowed host over https (§2, Embed; rows 26 and 46). */
export function isAllowedPicture(chat: Chat, url: string): boolean {
  if (!URL.canParse(url)) return false
  const { origin, pathname, protocol, hostname } = new URL(url)
  if (origin === chat.origin) return pathname.startsWith(UPLOADS)
  return protocol === 'https:' && chat.rules.pictureHosts.includes(hostname)
}

/** Refuses embed pictures from other hosts. */
export function checkPictures(chat: Chat, embeds: readonly Embed[]): void {
  embeds.forEach((embed, index) => {
    for (const { field, url } of embedPictures(embed)) checkPicture(chat, `embeds[${index}].${field}`, url)
  })
}

/** Refuses a picture from another host, naming its field. */
export function checkPicture(chat: Chat, field: string, url: string): void {
  if (isAllowedPicture(chat, url)) return
  throw new Refusal(
    400,
    `${field}: images from ${new URL(url).hostname} are not allowed; use https and one of these hosts: ${chat.rules.pictureHosts.join(', ')}`,
  )
}

/** An emoji in its qualified form. Refuses a text that is not exactly one Unicode emoji. */
export function checkEmoji(emoji: string): string {
  const qualified = qualifiedEmoji(emoji)
  if (qualified === undefined)
    throw new Refusal(
      400,
      'emoji: must be one unicode emoji, such as 👍, which the path of a raw request contains URL-encoded',
    )
  return qualified
}

import { type Embed, embedPictures, isEmoji } from '@botwright/protocol'
import type { Chat } from './chat.ts'
import type { UserRow } from './db/rows.ts'
import { Refusal } from './refusal.ts'
import type { ContentRules } from './rule-set.ts'
import { UPLOADS } from './uploads-path.ts'
import { countViolation } from './violations.ts'

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Letters that look the same are the same, and what shows nothing is left out: neither hides a word. */
const plain = (text: string) => text.normalize('NFKC').replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')

/** A host name has at most 253 characters, three times as many if each is percent-encoded. No longer one leads anywhere. */
const LONGEST_HOST = 3 * 253

/** One expression for all words; made once for each set of rules. */
const wordPatterns = new WeakMap<ContentRules, RegExp>()
function wordPattern(rules: ContentRules): RegExp {
  let found = wordPatterns.get(rules)
  if (found === undefined) {
    const words = rules.words.map((word) => escaped(plain(word))).join('|')
    // Whole words only; with no word at all it matches nothing.
    found = new RegExp(words === '' ? '(?!)' : `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'iu')
    wordPatterns.set(rules, found)
  }
  return found
}

/** The host of a link's authority as a browser reads it: user names, percent signs and upper case hide nothing. */
function hostOf(authority: string): string {
  const written = authority.slice(authority.lastIndexOf('@') + 1)
  // Up to its last letter or digit: found from the end, once, however long the rest is.
  const host = (/^.*[\p{L}\p{N}]/su.exec(written)?.[0] ?? '').replace(/:\d+$/, '').replace(/\.$/, '')
  if (host.length > LONGEST_HOST) return ''
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host.toLowerCase()
}

function brokenRule(texts: readonly string[], rules: ContentRules): string | undefined {
  for (const text of texts.map(plain)) {
    if (wordPattern(rules).test(text)) return 'a blocked word'
    for (const [, authority = ''] of text.matchAll(/https?:[\\/]{2,}([^\s/\\?#()<>[\]]+)/gi)) {
      const name = hostOf(authority)
      if (rules.hosts.some((each) => name === each || name.endsWith(`.${each}`))) return 'a blocked link'
    }
  }
  return undefined
}

/** Every text in a value, however deep: embeds and buttons carry texts and links in many places. */
function textsIn(value: unknown, found: string[] = []): string[] {
  if (typeof value === 'string') found.push(value)
  else if (Array.isArray(value)) for (const each of value) textsIn(each, found)
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) textsIn(each, found)
  return found
}

/** Refuses what breaks the content rules, and counts it against the author (row 31). */
export function checkContent(chat: Chat, author: Pick<UserRow, 'id'>, parts: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(parts)) {
    refuseBroken(chat, field, value, () => countViolation(chat, author.id))
  }
}

/** Refuses a name that breaks the content rules, of somebody whom the service does not know yet. */
export function checkNewName(chat: Chat, username: string): void {
  refuseBroken(chat, 'username', username)
}

function refuseBroken(chat: Chat, field: string, value: unknown, record?: () => void): void {
  const broken = brokenRule(textsIn(value), chat.rules)
  if (broken === undefined) return
  throw new Refusal(400, `${field}: holds ${broken}; the content rules forbid it`, record && { record })
}

/** Whether a picture is one of the service's own uploads, or https from a host on the allow-list (§2, Embed; rows 26 and 46). */
export function isAllowedPicture(chat: Chat, url: string): boolean {
  if (!URL.canParse(url)) return false
  const { origin, pathname, protocol, hostname } = new URL(url)
  if (origin === chat.origin) return pathname.startsWith(UPLOADS)
  return protocol === 'https:' && chat.rules.pictureHosts.includes(hostname)
}

/** Refuses embed pictures from elsewhere. */
export function checkPictures(chat: Chat, embeds: readonly Embed[]): void {
  embeds.forEach((embed, index) => {
    for (const { field, url } of embedPictures(embed)) checkPicture(chat, `embeds[${index}].${field}`, url)
  })
}

/** Refuses a picture from elsewhere, naming its field. */
export function checkPicture(chat: Chat, field: string, url: string): void {
  if (isAllowedPicture(chat, url)) return
  throw new Refusal(
    400,
    `${field}: pictures from ${new URL(url).hostname} are not allowed; use https and one of ${chat.rules.pictureHosts.join(', ')}`,
  )
}

/** Refuses what is not one Unicode emoji. */
export function checkEmoji(emoji: string): void {
  if (!isEmoji(emoji)) throw new Refusal(400, 'emoji: must be one unicode emoji, URL-encoded')
}

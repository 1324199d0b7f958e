import { type Embed, embedPictures, isEmoji } from '@botwright/protocol'
import type { Chat } from './chat.ts'
import type { UserRow } from './db/rows.ts'
import { Refusal } from './refusal.ts'
import type { ContentRules } from './rule-set.ts'

const HOUR_MS = 60 * 60 * 1000
const VIOLATIONS_UNTIL_BAN = 3

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function brokenRule(texts: readonly string[], rules: ContentRules): string | undefined {
  for (const text of texts) {
    const word = rules.words.find((each) =>
      new RegExp(`(?<![\\p{L}\\p{N}])${escaped(each)}(?![\\p{L}\\p{N}])`, 'iu').test(text),
    )
    if (word !== undefined) return 'a blocked word'
    for (const [, host = ''] of text.matchAll(/https?:\/\/(?:[^\s/@]*@)?([^\s/:?#)>\]]+)/gi)) {
      const name = host.toLowerCase().replace(/\.$/, '')
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

/** Refuses what breaks the content rules; the third time within an hour bans the author, of a bot also the owner (row 31). */
export function checkContent(chat: Chat, author: UserRow, parts: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(parts)) {
    const broken = brokenRule(textsIn(value), chat.rules)
    if (broken === undefined) continue
    const now = chat.clock.now()
    chat.sql.run('INSERT INTO violations (user_id, created_at) VALUES (?, ?)', author.id, now)
    const { count } = chat.sql.get<{ count: number }>(
      'SELECT count(*) AS count FROM violations WHERE user_id = ? AND created_at > ?',
      author.id,
      now - HOUR_MS,
    )!
    if (count >= VIOLATIONS_UNTIL_BAN) {
      chat.sql.run(
        'UPDATE users SET banned = 1 WHERE id = ? OR id = (SELECT owner_id FROM bots WHERE user_id = ?)',
        author.id,
        author.id,
      )
    }
    throw new Refusal(400, `${field}: holds ${broken}; the content rules forbid it`, { commits: true })
  }
}

/** Refuses embed pictures from elsewhere than the allow-list and the service's own uploads (§2, Embed; rows 26 and 46). */
export function checkPictures(chat: Chat, embeds: readonly Embed[]): void {
  embeds.forEach((embed, index) => {
    for (const { field, url } of embedPictures(embed)) {
      const { origin, protocol, hostname } = new URL(url)
      if (origin === chat.origin) continue
      if (protocol === 'https:' && chat.rules.pictureHosts.includes(hostname)) continue
      throw new Refusal(
        400,
        `embeds[${index}].${field}: pictures from ${hostname} are not allowed; use https and one of ${chat.rules.pictureHosts.join(', ')}`,
      )
    }
  })
}

/** Refuses what is not one Unicode emoji. */
export function checkEmoji(emoji: string): void {
  if (!isEmoji(emoji)) throw new Refusal(400, 'emoji: must be one unicode emoji, URL-encoded')
}

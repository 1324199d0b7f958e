/** How long a text is, the way the service counts: in Unicode code points (decisions row 45). */
export function characters(text: string): number {
  let count = text.length
  // Only surrogate pairs make the two counts differ, and most texts have none.
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = text.charCodeAt(i + 1)
      if (next >= 0xdc00 && next <= 0xdfff) {
        count--
        i++
      }
    }
  }
  return count
}

/** The first `max` characters of a text (code points, never half of one). */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : Array.from(text).slice(0, max).join('')
}

/** A UUID of any version, the nil-like ones included. */
export const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text is a UUID. */
export const isId = (value: string): boolean => idPattern.test(value)

export const colorPattern = /^#[0-9a-fA-F]{6}$/
export const colorMax = 0xffffff
/** What is told of a color that is none. */
export const colorRule = `must be "#rrggbb" or an integer from 0 to ${colorMax}`
/** Whether something is the color of an embed (§2). */
export const isColor = (value: string | number): boolean =>
  typeof value === 'string' ? colorPattern.test(value) : Number.isInteger(value) && value >= 0 && value <= colorMax

/** What is told of a time that is none. */
export const timeRule = 'must be an ISO 8601 time'
/** Whether a text is a point in time, ISO 8601. */
export const isTime = (value: string): boolean =>
  /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/.test(value) &&
  !Number.isNaN(Date.parse(value))

/** What is told of a link that is none. */
export const linkRule = 'must be an http or https link'
/** Longer than any host name with its port (253 characters). `URL` takes quadratic time to read a host of many non-Latin letters. */
const LONGEST_AUTHORITY = 300

/** Whether a text is a link that begins with one of these protocols. */
export function isLink(value: string, protocols: readonly string[] = ['https:', 'http:']): boolean {
  const [, authority = ''] = /^[^:]*:[/\\\s]*([^/\\?#]*)/.exec(value) ?? []
  if (authority.length > LONGEST_AUTHORITY) return false
  try {
    return protocols.includes(new URL(value).protocol)
  } catch {
    return false
  }
}

// Both know every emoji there is: they take longer to make than all else here, so they wait for the first emoji.
let patterns: { emoji: RegExp; bareCharacter: RegExp } | undefined

const makePatterns = () => ({
  emoji: new RegExp('^\\p{RGI_Emoji}$', 'v'),
  /** A character that shows as text unless a variation selector or a skin tone follows. */
  bareCharacter: /(?!\p{Emoji_Presentation})(\p{Emoji})(?![\u{FE0F}\u{1F3FB}-\u{1F3FF}])/gu,
})

/** Whether a text is exactly one Unicode emoji. Keyboards leave variation selectors out, so an emoji without them is one too. */
export function isEmoji(value: string): boolean {
  const { emoji, bareCharacter } = (patterns ??= makePatterns())
  return emoji.test(value) || emoji.test(value.replace(bareCharacter, '$1\u{FE0F}'))
}

/** Whether something would be seen: a text that is not blank, or an embed (§2: "a message needs content or embeds"). */
export const hasContent = (message: {
  content?: string | null | undefined
  embeds?: readonly unknown[] | null | undefined
}): boolean => (message.content ?? '').trim() !== '' || (message.embeds ?? []).length > 0

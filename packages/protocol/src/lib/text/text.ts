import { qualifiedEmoji, withoutSelectors } from './typed-text.ts'

/** The length of a text as the service counts it: in Unicode code points (decisions row 45). */
export function characters(text: string): number {
  let count = text.length
  // `length` counts UTF-16 units, so only surrogate pairs make a difference.
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

/** The first `max` code points of a text. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  // A code point has at most two units.
  return Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .join('')
}

/** A text, with `…` if it was cut. */
export function shortened(text: string, max: number): string {
  const start = cut(text, max)
  return start.length < text.length ? `${start}…` : text
}

const unfit = /[\0\p{Surrogate}]/gu

/** A text with U+FFFD in place of NUL and lone surrogates, which the service refuses and a store cannot keep. */
export const wellFormed = (text: string): string => text.replace(unfit, '\uFFFD')

/** A UUID of any version, including nil-like ones. */
export const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text is a UUID. */
export const isId = (value: string): boolean => idPattern.test(value)

/** A UUID as the service returns it, which accepts it in any case (decisions row 52). Other texts are unchanged. */
export const lowerId = (value: string): string => (isId(value) ? value.toLowerCase() : value)

export const colorPattern = /^#[0-9a-fA-F]{6}$/
export const colorMax = 0xffffff
/** The error text for an invalid color. */
export const colorRule = `must be "#rrggbb" or an integer from 0 to ${colorMax}`
/** Whether a value is a valid embed color (§2). */
export const isColor = (value: string | number): boolean =>
  typeof value === 'string' ? colorPattern.test(value) : Number.isInteger(value) && value >= 0 && value <= colorMax

/** The error text for an invalid time. */
export const timeRule = 'must be an ISO 8601 time'
/** Whether a text is an ISO 8601 time. */
export function isTime(value: string): boolean {
  const [, year, month, day] =
    /^(\d{4})-(\d{2})-(\d{2})([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/.exec(value) ?? []
  if (year === undefined || Number.isNaN(Date.parse(value))) return false
  // `Date.parse` takes 30 February for 2 March.
  return new Date(`${year}-${month}-${day}`).getUTCDate() === Number(day)
}

/** The error text for an invalid link. */
export const linkRule = 'must be an http or https link'
// More than any host name with its port (253 characters). `URL` takes quadratic time for hosts with many non-Latin letters.
const LONGEST_AUTHORITY = 300

/** Whether a text is a link with one of these protocols. */
export function isLink(value: string, protocols: readonly string[] = ['https:', 'http:']): boolean {
  const [, authority = ''] = /^[^:]*:[/\\\s]*([^/\\?#]*)/.exec(value) ?? []
  if (authority.length > LONGEST_AUTHORITY) return false
  try {
    return protocols.includes(new URL(value).protocol)
  } catch {
    return false
  }
}

/** Whether a text is exactly one Unicode emoji. Variation selectors are optional. */
export const isEmoji = (value: string): boolean => qualifiedEmoji(value) !== undefined

/** Whether two texts are the same emoji, with or without U+FE0F, as in reaction events (interface §6). Skin tones differ. */
export const sameEmoji = (a: string, b: string): boolean => withoutSelectors(a) === withoutSelectors(b)

/** Whether a message has visible content: a text that is not blank, or an embed (§2: "a message needs content or embeds"). */
export const hasContent = (message: {
  content?: string | null | undefined
  embeds?: readonly unknown[] | null | undefined
}): boolean => (message.content ?? '').trim() !== '' || (message.embeds ?? []).length > 0

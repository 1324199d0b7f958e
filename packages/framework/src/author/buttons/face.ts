import { type actionStyles, BotwrightError, characters, isEmoji, limits } from '@botwright/protocol/facts'
import type { Button } from '@botwright/protocol/shapes'

interface Look {
  /** Grey (`secondary`) unless it says something else. */
  style?: (typeof actionStyles)[number]
  /** Greyed out, and not to be clicked. */
  disabled?: boolean
}

interface Labelled {
  /** Up to 80 characters. */
  label: string
  emoji?: string
}
interface EmojiAlone {
  label?: string
  /** One Unicode emoji. */
  emoji: string
}

/** How a button looks (§2): a label or an emoji, or both; grey unless it has a style. */
export type Face = Look & (EmojiAlone | Labelled)

/** How a button that opens a page looks, and the page (§2). It has neither a style nor a `custom_id`: nothing is sent to the bot. */
export type LinkFace<U extends string> = { url: HttpsUrl<U>; disabled?: boolean } & (EmojiAlone | Labelled)

/** A literal address must be an https one; of others only the run tells. */
type HttpsUrl<U extends string> = string extends U ? U : U extends `https://${string}` ? U : 'must begin with https://'

/**
 * Refuses what types do not see, where the button is made: there the author's own line is known. What concerns the whole message
 * is refused when it is sent, before any request. Throws `ERR_INVALID_REQUEST`.
 */
export function checkFace(where: string, { label, emoji }: { label?: string; emoji?: string }): void {
  const refuse = (fact: string) => {
    throw new BotwrightError('ERR_INVALID_REQUEST', `${where}: ${fact}`)
  }
  const max = limits.button_label.characters
  if (label === undefined && emoji === undefined) refuse('a button needs a label or an emoji (interface §2)')
  if (label === '') refuse('label is empty: remove it if there is an emoji, or add a text')
  if (label !== undefined && characters(label) > max)
    refuse(`label has ${characters(label)} characters; the limit is ${max} (interface §8): shorten it`)
  if (emoji !== undefined && !isEmoji(emoji)) refuse('emoji must be one Unicode emoji; put words into the label')
}

/** An address that a link button may open. */
export function checkUrl(where: string, url: string): void {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  // A space and such: `URL.canParse` alone would take "https:example".
  if (scheme === 'https' && /^https:\/\/[^/\s]/i.test(url) && URL.canParse(url)) return
  const fact = scheme === undefined || scheme === 'https' ? 'is not an absolute URL' : `has the scheme ${scheme}:`
  throw new BotwrightError(
    'ERR_INVALID_REQUEST',
    `${where}: url ${fact}; a link button opens only https URLs, such as https://example.com/page (interface §2)`,
  )
}

/** No file's name begins with it: clicks on these buttons are for the handler that waits for them. */
const MARK = '?'

/** A button for `ctx.clicked(message)`: `choice('yes', { label: 'Yes' })`; the click's `params` is `'yes'`. */
export function choice(value: string, face: Face): Button {
  checkFace(`choice(${JSON.stringify(value)})`, face)
  return { type: 'button', style: 'secondary', custom_id: MARK + value, ...face }
}

/** What a `choice()` stands for; undefined for every other button. */
export const choiceOf = (custom_id: string): string | undefined =>
  custom_id.startsWith(MARK) ? custom_id.slice(MARK.length) : undefined

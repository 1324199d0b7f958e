import { type actionStyles, BotwrightError, characters, isEmoji, limits } from '@botwright/protocol/facts'
import type { Button } from '@botwright/protocol/shapes'

interface Look {
  /** Default: gray (`secondary`). */
  style?: (typeof actionStyles)[number]
  /** Grayed out and not clickable. */
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

/** The look of a button (§2): a label, an emoji, or both; gray unless it has a style. */
export type Face = Look & (EmojiAlone | Labelled)

/** The look of a link button, and its page (§2). It has neither a style nor a `custom_id`: nothing is sent to the bot. */
export type LinkFace<U extends string> = { url: HttpsUrl<U>; disabled?: boolean } & (EmojiAlone | Labelled)

/** A literal URL must be https; others are checked at run time. */
type HttpsUrl<U extends string> = string extends U ? U : U extends `https://${string}` ? U : 'must begin with https://'

// Rejects problems that types cannot find, where the button is made, so that the error names the author's line. Problems of the whole message
// are rejected when it is sent, before any request. Throws `ERR_INVALID_REQUEST`.
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

/** A URL that a link button may open. */
export function checkUrl(where: string, url: string): void {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  // Spaces, for example: `URL.canParse` alone would accept "https:example".
  if (scheme === 'https' && /^https:\/\/[^/\s]/i.test(url) && URL.canParse(url)) return
  const fact = scheme === undefined || scheme === 'https' ? 'is not an absolute URL' : `has the scheme ${scheme}:`
  throw new BotwrightError(
    'ERR_INVALID_REQUEST',
    `${where}: url ${fact}; a link button opens only https URLs, such as https://example.com/page (interface §2)`,
  )
}

/** No file name begins with it: clicks on these buttons are for the handler that waits for them. */
const MARK = '?'

/** A button for `ctx.clicked(message)`: `choice('yes', { label: 'Yes' })`; the click's `params` is `'yes'`. */
export function choice(value: string, face: Face): Button {
  checkFace(`choice(${JSON.stringify(value)})`, face)
  return { type: 'button', style: 'secondary', custom_id: MARK + value, ...face }
}

/** The value of a `choice()`; undefined for every other button. */
export const choiceOf = (custom_id: string): string | undefined =>
  custom_id.startsWith(MARK) ? custom_id.slice(MARK.length) : undefined

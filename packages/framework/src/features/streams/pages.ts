import { limits, wellFormed } from '@botwright/protocol/facts'
import { nothingOpen, type OpenBlocks, openBlocks, prefixOf, quotesOf, withoutItems } from './open-blocks.ts'
import { openInline } from './open-inline.ts'

const MAX = limits.message_content.characters
/** Closes a code block at the end of a message. */
const CLOSING = '\n```'

/** One message of a longer text. */
export interface Page {
  /** The part of the text. All parts together are the text. */
  readonly part: string
  /** The content of the message: the part, in code blocks and quotes of its own. */
  readonly content: string
}

/**
 * Splits a text that grows into messages of at most 2,000 characters (§8). A message ends between paragraphs, lines or words, and a code
 * block that continues is closed and opened again. The cuts depend on the text alone, so a message that is full stays as it is.
 * NUL and half characters, which the service refuses, become U+FFFD.
 */
export class Pages {
  readonly #full: Page[] = []
  readonly #reserved: number
  /** The text of the last message. */
  #rest = ''
  /** The first half of a character at the end of the text. */
  #half = ''
  /** The blocks in which `#rest` begins. */
  #begun: OpenBlocks = nothingOpen

  /** `reserved`: characters that every message keeps free, for a mark at its end. */
  constructor(reserved = 0) {
    this.#reserved = reserved
  }

  add(text: string): void {
    const all = this.#half + text
    this.#half = /[\ud800-\udbff]$/.exec(all)?.[0] ?? ''
    this.#rest += wellFormed(all.slice(0, all.length - this.#half.length))
    for (let room = this.#room; this.#rest.length > room; room = this.#room) {
      const part = this.#rest.slice(0, cutOf(this.#rest, room))
      this.#full.push(this.#page(part))
      this.#begun = openBlocks(part, this.#begun)
      this.#rest = this.#rest.slice(part.length)
    }
  }

  /**
   * The messages so far. Without `mark`, the text is complete. Otherwise, the last message may grow: `mark` is at its end, open emphasis
   * and code is closed, and a link, a mention or a character of which only the beginning arrived is left out.
   */
  all(mark = ''): readonly Page[] {
    const rest = this.#rest + (mark === '' ? wellFormed(this.#half) : '')
    const pages = rest === '' ? this.#full : [...this.#full, this.#page(rest, mark)]
    // The service refuses an empty message (§4).
    return pages.filter(({ part }) => part.trim() !== '')
  }

  get #room(): number {
    return MAX - this.#opening.length - CLOSING.length - this.#reserved
  }

  get #opening(): string {
    const quotes = quotesOf(this.#begun)
    const { fence, isWithinLine } = this.#begun
    return (fence ? `${quotes}${fence.line}\n` : '') + (isWithinLine ? quotes : '')
  }

  #page(part: string, mark = ''): Page {
    const whole = this.#opening + withoutItems(part, this.#begun)
    const content = mark === '' ? whole : withMark(whole, mark)
    const end = openBlocks(content)
    const closing = end.fence ? `${end.isWithinLine ? '\n' : ''}${prefixOf(end)}${end.fence.marks}` : ''
    // A code block ends with its message, too.
    return { part, content: content.length + closing.length > MAX ? content : content + closing }
  }
}

/** A text that may go on, with a mark at its end and without half constructs. */
function withMark(content: string, mark: string): string {
  const whole = withoutHalfFlag(content)
  const text = openBlocks(whole).isMarkerOnly ? whole.slice(0, whole.lastIndexOf('\n') + 1) : whole
  const end = openBlocks(text)
  if (end.fence) return `${text}${end.isWithinLine ? '' : prefixOf(end)}${mark}`
  const { inlineFrom = text.length } = end
  const { from, closing } = openInline(text.slice(inlineFrom))
  const shown = text.slice(0, inlineFrom + from)
  const closed = closing === '' ? shown : shown.trimEnd() + closing
  return (closed.length + mark.length > MAX ? shown : closed) + mark
}

/** A flag consists of two of these letters. */
const halfFlag = /^\p{Regional_Indicator}$/u
function withoutHalfFlag(text: string): string {
  if (!halfFlag.test(text.slice(-2))) return text
  const last = new Intl.Segmenter().segment(text).containing(text.length - 1)!
  return halfFlag.test(last.segment) ? text.slice(0, last.index) : text
}

/** The rest of a line that, in its own message, would be a list item or another block, or may become one. */
const beginsBlock = /^(?:$|[\s>]|[-+*](?:\s|$)|#{1,6}(?:\s|$)|\d{1,9}(?:[.)]|$)|[`~_-]{1,2}$|`{3}|~{3}|_{3}|-{3})/

/** Where to cut a text so that the first part has at most `room` characters. */
function cutOf(text: string, room: number): number {
  const window = text.slice(0, room)
  const least = room / 2
  for (const end of ['\n\n', '\n']) {
    const at = window.lastIndexOf(end) + end.length
    if (at > least) return at
  }
  let last = 0
  for (let at = window.lastIndexOf(' '); at > least; at = window.lastIndexOf(' ', at - 1)) {
    if (beginsBlock.test(window.slice(at + 1))) continue
    last ||= at + 1
    const start = window.lastIndexOf('\n', at) + 1
    const { open } = openInline(window.slice(start, at + 1))
    if (start + open > at) return at + 1
    at = start + open
  }
  return last > 0 ? last : characterBefore(text, room)
}

/** Not within a character, which may consist of several code points, as flags and families do. `text` is longer than `room`. */
function characterBefore(text: string, room: number): number {
  const window = new Intl.Segmenter().segment(text.slice(0, room + 1))
  // Half a code point may belong to the character before.
  const at = window.containing(/[\ud800-\udbff]/.test(text[room]!) ? room - 1 : room)!.index
  if (at > room / 2) return at
  return /[\udc00-\udfff]/.test(text[room]!) ? room - 1 : room
}

import { limits } from '@botwright/protocol/facts'

const MAX = limits.message_content.characters
/** Closes a code block at the end of a message. */
const CLOSING = '\n```'

/** One message of a longer text. */
export interface Page {
  /** The part of the text. All parts together are the text. */
  readonly part: string
  /** The content of the message: the part, in code blocks of its own. */
  readonly content: string
}

/**
 * Splits a text that grows into messages of at most 2,000 characters (§8). A message ends between paragraphs, lines or words, and a code
 * block that continues is closed and opened again. The cuts depend on the text alone, so a message that is full stays as it is.
 */
export class Pages {
  readonly #full: Page[] = []
  readonly #reserved: number
  /** The text of the last message. */
  #rest = ''
  /** The line that opened the code block in which `#rest` begins. */
  #fence = ''

  /** `reserved`: characters that every message keeps free, for a mark at its end. */
  constructor(reserved = 0) {
    this.#reserved = reserved
  }

  add(text: string): void {
    this.#rest += text
    for (let room = this.#room; this.#rest.length > room; room = this.#room) {
      const at = cutOf(this.#rest, room)
      this.#full.push(this.#page(this.#rest.slice(0, at)))
      this.#fence = fenceAfter(this.#fence, this.#rest.slice(0, at))
      this.#rest = this.#rest.slice(at)
    }
  }

  /** The messages so far. The last one may grow; `mark` is shown at its end. */
  all(mark = ''): readonly Page[] {
    const pages = this.#rest === '' ? this.#full : [...this.#full, this.#page(this.#rest, mark)]
    // The service refuses an empty message (§4).
    return pages.filter(({ part }) => part.trim() !== '')
  }

  get #room(): number {
    return MAX - this.#opening.length - CLOSING.length - this.#reserved
  }

  get #opening(): string {
    return this.#fence === '' ? '' : `${this.#fence}\n`
  }

  #page(part: string, mark = ''): Page {
    const isOpen = fenceAfter(this.#fence, part) !== ''
    const closing = isOpen ? CLOSING.slice(`${part}${mark}`.endsWith('\n') ? 1 : 0) : ''
    return { part, content: `${this.#opening}${part}${mark}${closing}` }
  }
}

/** The line that opens the code block at the end of a text; empty outside of one. `before`: the same at its beginning. */
function fenceAfter(before: string, text: string): string {
  let open = before
  for (const line of text.split('\n')) {
    const marks = marksOf(line)
    if (marks === '') continue
    if (open === '') open = line.trim().slice(0, LONGEST_FENCE)
    else if (marks.startsWith(marksOf(open)) && line.trim() === marks) open = ''
  }
  return open
}

/** The line of a code block is repeated in each message, so it has a bound. */
const LONGEST_FENCE = 100

/** The three or more backticks or tildes at the beginning of a line; empty for other lines. */
function marksOf(line: string): string {
  const begin = line.trimStart()
  const mark = begin[0] ?? ''
  if (line.length - begin.length > 3 || (mark !== '`' && mark !== '~')) return ''
  let length = 1
  while (begin[length] === mark) length++
  return length < 3 ? '' : begin.slice(0, length)
}

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
    last ||= at + 1
    if (isBalanced(window.slice(window.lastIndexOf('\n', at) + 1, at))) return at + 1
  }
  if (last > 0) return last
  // Not within a character of two code units.
  return /[\ud800-\udbff]$/.test(window) ? room - 1 : room
}

/** Whether no emphasis, struck or code span and no link is open at the end of a line. */
function isBalanced(begun: string): boolean {
  // The mark of a list item does not begin emphasis. A single underscore is mostly part of a name.
  const line = begun.replace(/^ {0,20}\* /, '')
  const isEven = (mark: string) => line.split(mark).length % 2 === 1
  const label = line.slice(line.lastIndexOf('['))
  const url = label.indexOf('](')
  const isInLink = label.startsWith('[') && (url < 0 ? !label.includes(']') : !label.includes(')', url))
  return !isInLink && ['`', '*', '**', '__', '~~', '||'].every(isEven)
}

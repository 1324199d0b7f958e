// Which blocks of Markdown (CommonMark) are open at the end of a text that may go on.

import { cut } from '@botwright/protocol/facts'

/** A quote, or a list item with the columns by which its lines are indented. */
type Container = 'quote' | number

/** The end of a text, and so the beginning of the text that follows it. */
export interface OpenBlocks {
  containers: readonly Container[]
  /** The line that opened the code block, without its containers, and the marks that close it. */
  fence?: { line: string; marks: string }
  /** A paragraph, which the next line may continue. */
  isParagraph: boolean
  /** The text ends within a line. */
  isWithinLine: boolean
  /** Where the block at the end begins; undefined in code. */
  inlineFrom?: number
  /** The last line has no text yet: it may become another block. */
  isMarkerOnly: boolean
}

export const nothingOpen: OpenBlocks = { containers: [], isParagraph: false, isWithinLine: false, isMarkerOnly: false }

/** The line of a code block is repeated in each message, so it has a bound. */
const LONGEST_FENCE = 100
/** Deeper containers count as text: each message repeats their marks. */
const MOST_CONTAINERS = 20
const TAB_COLUMNS = 4

const isBlank = (line: string) => line.trim() === ''

function indentOf(line: string): number {
  let columns = 0
  for (const character of line) {
    if (character === ' ') columns++
    else if (character === '\t') columns += TAB_COLUMNS
    else break
  }
  return columns
}

function withoutIndent(line: string, columns: number): string {
  let at = 0
  for (let left = columns; left > 0 && at < line.length; at++) left -= line[at] === '\t' ? TAB_COLUMNS : 1
  return line.slice(at)
}

/** How many containers a line continues, the quote marks among them, and the rest of the line. */
function inContainers(line: string, containers: readonly Container[]) {
  let [rest, quotes, depth] = [line, '', 0]
  for (const container of containers) {
    if (container === 'quote') {
      const mark = /^ {0,3}> ?/.exec(rest)?.[0]
      if (mark === undefined) break
      rest = rest.slice(mark.length)
      quotes += mark
    } else {
      if (!isBlank(rest) && indentOf(rest) < container) break
      rest = withoutIndent(rest, container)
    }
    depth++
  }
  return { depth, quotes, rest }
}

/** The marks with which a line within the containers begins. */
export const prefixOf = ({ containers }: OpenBlocks): string =>
  containers.map((container) => (container === 'quote' ? '> ' : ' '.repeat(container))).join('')

/** The quote marks alone: a text without the indent of the list items in which it begins. */
export const quotesOf = ({ containers }: OpenBlocks): string =>
  containers.map((container) => (container === 'quote' ? '> ' : '')).join('')

/** A text without the indent of the list items in which it begins: elsewhere, the indent would make it code. */
export function withoutItems(text: string, { containers, isWithinLine }: OpenBlocks): string {
  let open = containers
  return text
    .split('\n')
    .map((line, i) => {
      if (open.length === 0 || (i === 0 && isWithinLine)) return line
      const { depth, quotes, rest } = inContainers(line, open)
      if (!isBlank(line)) open = open.slice(0, depth)
      return quotes + rest
    })
    .join('\n')
}

/** The blocks that are open after a text, which begins in other ones. */
export function openBlocks(text: string, begun: OpenBlocks = nothingOpen): OpenBlocks {
  let { containers, fence, isParagraph } = begun
  let inlineFrom: number | undefined = begun.isWithinLine && !fence ? 0 : undefined
  let isMarkerOnly = false
  let start = 0
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  for (const [i, line] of lines.entries()) {
    if (i > 0 || !begun.isWithinLine) readLine(line, start)
    else if (!fence) isParagraph = true
    start += line.length + 1
  }
  return {
    ...{ containers, isParagraph, isWithinLine: text !== '' && !text.endsWith('\n'), isMarkerOnly },
    ...(fence && { fence }),
    ...(inlineFrom !== undefined && !fence && { inlineFrom }),
  }

  function readLine(line: string, at: number): void {
    const { depth, rest } = inContainers(line, containers)
    isMarkerOnly = false
    if (fence) {
      if (depth === containers.length) {
        const marks = rest.trim()
        isMarkerOnly = marks === '' || (indentOf(rest) < TAB_COLUMNS && marks === fence.marks[0]!.repeat(marks.length))
        if (isMarkerOnly && marks.length >= fence.marks.length) fence = undefined
        return
      }
      fence = undefined
      isParagraph = false
    }
    if (isBlank(rest)) {
      containers = containers.slice(0, depth)
      isParagraph = false
      inlineFrom = undefined
      isMarkerOnly = true
      return
    }
    const opened = openedBy(rest, isParagraph && depth === containers.length)
    const { own } = opened
    const isNew = opened.containers.length > 0 || opened.kind !== 'text'
    // A paragraph goes on in a line without its marks.
    const isLazy = isParagraph && !isNew
    if (!isLazy) containers = [...containers.slice(0, depth), ...opened.containers].slice(0, MOST_CONTAINERS)
    isMarkerOnly = opened.kind === 'fence' || /^(?:[-+*_=#>~`\s]*|\s*\d{1,9}[.)]?)$/.test(own)
    if (opened.kind === 'fence') fence = opened.fence
    const isCode = indentOf(own) >= TAB_COLUMNS && !isLazy
    if (isCode || opened.kind === 'rule' || opened.kind === 'fence') inlineFrom = undefined
    else if (!isLazy || inlineFrom === undefined) inlineFrom = at + line.length - own.length
    isParagraph = !isCode && opened.kind === 'text' && !isBlank(own)
  }
}

/** The containers and the block that the rest of a line opens. */
function openedBy(line: string, interrupts: boolean) {
  const containers: Container[] = []
  let own = line
  while (indentOf(own) < TAB_COLUMNS && !isRule(own) && containers.length < MOST_CONTAINERS) {
    const quote = /^ {0,3}> ?/.exec(own)?.[0]
    const item = /^( {0,3}(?:[-+*]|(\d{1,9})[.)]))(?=[ \t]|$)/.exec(own)
    if (quote !== undefined) {
      containers.push('quote')
      own = own.slice(quote.length)
    } else if (item) {
      const [, marker = '', number] = item
      const after = own.slice(marker.length)
      // Only an item with text, and only the first of a list, ends a paragraph.
      if (interrupts && containers.length === 0 && (isBlank(after) || (number !== undefined && Number(number) !== 1)))
        break
      const columns = indentOf(after)
      const gap = isBlank(after) || columns > TAB_COLUMNS ? 1 : columns
      containers.push(marker.length + gap)
      own = withoutIndent(after, gap)
    } else break
  }
  const indent = indentOf(own)
  const marks = indent < TAB_COLUMNS ? marksOf(own.trimStart()) : ''
  if (marks !== '')
    return { containers, own, kind: 'fence', fence: { line: cut(own.trimEnd(), LONGEST_FENCE), marks } } as const
  const isHeading = indent < TAB_COLUMNS && /^#{1,6}(?:[ \t]|$)/.test(own.trimStart())
  return { containers, own, kind: isRule(own) ? 'rule' : isHeading ? 'heading' : 'text' } as const
}

/** A line of three or more equal marks, which may have spaces between them. */
function isRule(line: string): boolean {
  const marks = line.replaceAll(/[ \t]/g, '')
  return (
    indentOf(line) < TAB_COLUMNS &&
    marks.length >= 3 &&
    /[-_*]/.test(marks[0]!) &&
    marks === marks[0]!.repeat(marks.length)
  )
}

/** The three or more backticks or tildes that open a code block; empty for other lines. */
function marksOf(line: string): string {
  const mark = line[0]
  if (mark !== '`' && mark !== '~') return ''
  let length = 1
  while (line[length] === mark) length++
  return length < 3 || (mark === '`' && line.includes(mark, length)) ? '' : line.slice(0, length)
}

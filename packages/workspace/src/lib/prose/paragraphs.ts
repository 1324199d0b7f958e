/** Text that belongs together: a paragraph of a page, a comment or a string. */
export interface Paragraph {
  kind: ProseKind
  lines: { line: number; text: string }[]
}

/** Pages; texts that programs print; texts for maintainers (comments and test titles). */
export type ProseKind = 'docs' | 'strings' | 'comments'

/** Its lines as one text, and a function from an offset to its line. */
export function joinLines({ lines }: Paragraph): { text: string; lineOf: (offset: number) => number } {
  const starts: { at: number; line: number }[] = []
  let text = ''
  for (const { line, text: part } of lines) {
    const words = part.replaceAll(/\s+/g, ' ').trim()
    if (words === '') continue
    if (text !== '') text += ' '
    starts.push({ at: text.length, line })
    text += words
  }
  return { text, lineOf: (offset) => starts.findLast(({ at }) => at <= offset)?.line ?? lines[0]?.line ?? 1 }
}

/** Code and addresses become one word, so that only prose is read. */
export function withoutInlineCode(text: string): string {
  return text
    .replaceAll(/`[^`\n]+`/g, 'CODE')
    .replaceAll(/\]\([^)\s]*\)/g, ']')
    .replaceAll(/\bhttps?:\/\/\S+/g, 'URL')
}

// A punctuation mark, an optional closing quote or bracket, and a space. "e.g." and "i.e." do not end a sentence.
const END = /(?<!\b(?:e\.g|i\.e|vs|etc))[.!?]["')\]*_]*(?= |$)/g

/** The sentences of a joined text, each with its offset. */
export function sentencesOf(text: string): { at: number; text: string }[] {
  const found: { at: number; text: string }[] = []
  let from = 0
  const add = (end: number) => {
    const sentence = text.slice(from, end)
    if (sentence.trim() !== '')
      found.push({ at: from + (sentence.length - sentence.trimStart().length), text: sentence.trim() })
    from = end
  }
  for (const match of text.matchAll(END)) add(match.index + match[0].length)
  add(text.length)
  return found
}

/** Counts words with a letter or a digit; dashes and marks do not count. */
export function countWords(sentence: string): number {
  return sentence.split(' ').filter((word) => /[\p{L}\d]/u.test(word)).length
}

import { withoutInlineCode, type Paragraph } from './paragraphs.ts'

// Not `<[^>]*>`: on a line of `<` without an end it would read the rest again and again.
const TAG = /<\/?[a-z][^<>]*>|<!--.*?-->/gi
const ALT = /\balt="([^"]*)"/g
/** A field of the front matter, with or without quotes. */
const FIELD = /^\s*(?:- )?[\w-]+: *["']?(.*?)["']?$/

/** The prose of a Markdown page, without its code: paragraphs, headings, list items, cells of tables, front matter and `alt` texts. */
export function readPage(text: string): Paragraph[] {
  const found: Paragraph[] = []
  let open: Paragraph | undefined
  let fence: string | undefined
  let frontMatter = false
  const start = () => {
    open = { kind: 'docs', lines: [] }
    found.push(open)
    return open
  }
  for (const [index, written] of text.split('\n').entries()) {
    const line = index + 1
    const raw = withoutInlineCode(written).replaceAll(TAG, ' ')
    const mark = /^[ \t>]*(```+|~~~+)/.exec(raw)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
      continue
    }
    for (const [, alt = ''] of written.matchAll(ALT)) found.push({ kind: 'docs', lines: [{ line, text: alt }] })
    if (index === 0 && raw === '---') frontMatter = true
    else if (frontMatter) {
      frontMatter = raw !== '---'
      start().lines.push({ line, text: FIELD.exec(raw)?.[1] ?? raw })
      open = undefined
    } else if (mark !== undefined) [fence, open] = [mark, undefined]
    else if (raw.trim() === '' || /^\s*(?::::.*|[-*_]{3,})$/.test(raw)) open = undefined
    else if (/^\s*\|/.test(raw)) {
      open = undefined
      for (const cell of raw.split('|')) start().lines.push({ line, text: cell })
    } else {
      const item = /^[\s>]*(?:[-*+] |\d+[.)] |#{1,6} )/.exec(raw)
      const into = item || open === undefined ? start() : open
      into.lines.push({ line, text: raw.slice(item?.[0].length ?? 0) })
      if (item?.[0].includes('#')) open = undefined
    }
  }
  return found
}

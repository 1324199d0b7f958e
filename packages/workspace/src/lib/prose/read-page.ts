import { withoutInlineCode, type Paragraph } from './paragraphs.ts'

/** The prose of a Markdown page: paragraphs, headings, list items and cells of tables, without code and front matter. */
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
  for (const [index, raw] of text.split('\n').entries()) {
    const line = index + 1
    const mark = /^[ \t>]*(```+|~~~+)/.exec(raw)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
      continue
    }
    if (index === 0 && raw === '---') frontMatter = true
    else if (frontMatter) frontMatter = raw !== '---'
    else if (mark !== undefined) [fence, open] = [mark, undefined]
    else if (raw.trim() === '' || /^\s*(?:<[!/a-z].*|:::.*|[-*_]{3,})$/.test(raw)) open = undefined
    else if (/^\s*\|/.test(raw)) {
      open = undefined
      for (const cell of withoutInlineCode(raw).split('|')) start().lines.push({ line, text: cell })
    } else {
      const item = /^[\s>]*(?:[-*+] |\d+[.)] |#{1,6} )/.exec(raw)
      const into = item || open === undefined ? start() : open
      into.lines.push({ line, text: withoutInlineCode(raw.slice(item?.[0].length ?? 0)) })
      if (item?.[0].includes('#')) open = undefined
    }
  }
  return found
}

import { type Page, type Section, titleOf } from './page.ts'

const about =
  'A declarative TypeScript framework for chat bots, with a chat service of its own: files in commands/, buttons/, events/ and tasks/ are the bot.'

/** The list of pages for language models (llmstxt.org), with one line each. */
export function llmsTxt(sections: readonly Section[]): string {
  const lines = [
    '# Botwright',
    '',
    `> ${about}`,
    '',
    'Every page is also available as Markdown: add .md to its URL.',
    '',
  ]
  for (const { title, pages } of sections) {
    lines.push(`## ${title}`, '')
    for (const page of pages) {
      const line = firstSentence(page.text)
      lines.push(`- [${titleOf(page)}](/${fileOf(page)})${line === '' ? '' : `: ${line}`}`)
    }
    lines.push('')
  }
  return lines.join('\n')
}

/** All pages in one text. */
export function llmsFull(sections: readonly Section[]): string {
  const pages = sections.flatMap((section) => section.pages)
  return pages.map((page) => `<!-- /${fileOf(page)} -->\n\n${withoutFrontmatter(page.text).trim()}\n`).join('\n---\n\n')
}

/** The file with a page's Markdown: `guides/buttons.md`. */
export const fileOf = ({ to }: Page): string => `${to === '' || to.endsWith('/') ? `${to}index` : to}.md`

const withoutFrontmatter = (text: string) => text.replace(/^---\n[^]*?\n---\n/, '')

/** The first sentence of the first paragraph of prose, without link syntax. */
function firstSentence(text: string): string {
  const paragraph = withoutFrontmatter(text)
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .find((part) => /^(?!```)[A-Za-z`*]/.test(part))
  const plain = (paragraph ?? '').replaceAll('\n', ' ').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return /^.*?[.:](?=\s|$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}

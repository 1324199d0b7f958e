import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A page of the documentation. */
export interface DocsPage {
  /** `framework/commands`. */
  name: string
  title: string
  /** The first paragraph, in one line. */
  about: string
  /** Markdown. */
  text: string
}

/** A part of a page that matches a search. */
export interface DocsMatch {
  page: string
  heading: string
  text: string
}

let loaded: DocsPage[] | undefined

/** The pages that the build wrote into this package. */
export function docsPages(): DocsPage[] {
  // Resolves to the same file from `src/lib/mcp` and `dist/lib/mcp`.
  const file = fileURLToPath(new URL('../../../dist/docs.json', import.meta.url))
  return (loaded ??= JSON.parse(readFileSync(file, 'utf8')) as DocsPage[])
}

/** The list of pages for language models (llmstxt.org). */
export const llmsTxt = (): string =>
  [
    '# Botwright',
    '',
    '> A declarative TypeScript framework for chat bots, with a local chat service for development and tests.',
    '',
    ...docsPages().map(({ name, title, about }) => `- [${title}](docs://${name}): ${about}`),
    '',
  ].join('\n')

const MAX_MATCHES = 5
const MAX_CHARACTERS = 2000
/** A word in a heading is worth as many in the text. */
const HEADING_WEIGHT = 8

/** The sections that contain the most words of a question. */
export function searchDocs(question: string): DocsMatch[] {
  const words = [...new Set(question.toLowerCase().match(/[\p{L}\p{N}_.]{2,}/gu) ?? [])].slice(0, 20)
  return docsPages()
    .flatMap((page) => sectionsOf(page).map((section) => ({ section, score: scoreOf(section, words) })))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_MATCHES)
    .map(({ section }) => ({ ...section, text: section.text.slice(0, MAX_CHARACTERS) }))
}

/** A page, split at its headings. */
const sectionsOf = ({ name, text }: DocsPage): DocsMatch[] =>
  text.split(/\n(?=#{1,3} )/).map((part) => ({
    page: name,
    heading: (part.split('\n', 1)[0] ?? '').replace(/^#+ /, ''),
    text: part.trim(),
  }))

/** Each word counts once in the text, so that long sections do not win by length. */
function scoreOf({ heading, text }: DocsMatch, words: readonly string[]): number {
  const [title, body] = [heading.toLowerCase(), text.toLowerCase()]
  let score = 0
  for (const word of words) score += (title.includes(word) ? HEADING_WEIGHT : 0) + (body.includes(word) ? 1 : 0)
  return score
}

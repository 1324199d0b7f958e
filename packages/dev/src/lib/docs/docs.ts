import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cut } from '@botwright/protocol/facts'
import MiniSearch from 'minisearch'

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

/** The pages that the build of the site wrote into this package. */
export function docsPages(): DocsPage[] {
  // Resolves to the same file from `src/lib` and `dist/lib`.
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
const MAX_QUESTION = 500
/** The weight of words in the heading of a section and in the title of its page; words in its text have 1. */
const boost = { heading: 4, title: 2 }

interface Section extends DocsMatch {
  id: number
  title: string
}

let index: { sections: readonly Section[]; search: MiniSearch<Section> } | undefined

/** The sections that fit a question best. */
export function searchDocs(question: string): DocsMatch[] {
  index ??= makeIndex()
  const { search, sections } = index
  return search
    .search(question.slice(0, MAX_QUESTION), { boost, prefix: (term) => term.length > 3 })
    .slice(0, MAX_MATCHES)
    .map(({ id }) => {
      const { page, heading, text } = sections[id as number]!
      return { page, heading, text: cut(text, MAX_CHARACTERS) }
    })
}

function makeIndex(): NonNullable<typeof index> {
  const sections = docsPages()
    .flatMap(sectionsOf)
    .map((section, id) => ({ ...section, id }))
  // `ctx.ask` is found by its whole name and by each part.
  const tokenize = (text: string) =>
    [...text.matchAll(/[\p{L}\p{N}_.-]+/gu)].flatMap(([word]) => [
      word,
      ...(/[.-]/.test(word) ? word.split(/[.-]+/) : []),
    ])
  const search = new MiniSearch<Section>({ fields: ['heading', 'title', 'text'], tokenize })
  search.addAll(sections)
  return { sections, search }
}

/** A page, split at its headings. */
const sectionsOf = ({ name, title, text }: DocsPage): Omit<Section, 'id'>[] =>
  text.split(/\n(?=#{1,3} )/).map((part) => ({
    page: name,
    title,
    heading: (part.split('\n', 1)[0] ?? '').replace(/^#+ /, ''),
    text: part.trim(),
  }))

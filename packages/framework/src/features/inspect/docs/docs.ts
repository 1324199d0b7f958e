import { brotliDecompressSync } from 'node:zlib'
import { cut } from '@botwright/protocol/facts'
import MiniSearch from 'minisearch'
import { pageFile } from '../../../runtime/own-package.ts'

/** A page of the documentation. */
export interface DocsPage {
  /** `framework/commands`. */
  name: string
  title: string
  /** The first paragraph, in one line. */
  about: string
  /** Markdown. */
  text: string
  /** Questions of people, and the section that answers each; without an anchor, the first one. */
  questions: readonly { question: string; anchor?: string }[]
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
  return (loaded ??= JSON.parse(brotliDecompressSync(pageFile('docs.json.br')).toString()) as DocsPage[])
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
/** The weight of words in the questions that a section answers, in its heading and in the title of its page; words in its text have 1. */
const boost = { questions: 8, heading: 4, title: 2 }
/** Words of questions that name no subject. */
const FILLERS = new Set(
  'a about an and are can do does for from get how i if in into is it its me my of on or that the there this to use what when where which who why with without you your'.split(
    ' ',
  ),
)

interface Section extends DocsMatch {
  id: number
  title: string
  questions: string
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
  const search = new MiniSearch<Section>({ fields: ['questions', 'heading', 'title', 'text'], tokenize, processTerm })
  search.addAll(sections)
  return { sections, search }
}

/** Each plural and each "-ing" form also counts as its base. */
function processTerm(term: string): string | string[] | undefined {
  const word = term.toLowerCase()
  if (FILLERS.has(word)) return undefined
  const base = word.length > 6 ? word.replace(/ing$/, '') : word
  const singular = base.length > 3 ? base.replace(/(?<=[^s])s$/, '') : base
  return singular === word ? word : [word, singular]
}

/** A page, split at its headings. */
export const sectionsOf = ({ name, title, text, questions }: DocsPage): Omit<Section, 'id'>[] =>
  partsOf(text).map((part, at) => {
    const heading = (part.split('\n', 1)[0] ?? '').replace(/^#+ /, '')
    const anchor = at === 0 ? undefined : anchorOf(heading)
    const own = questions.filter((one) => one.anchor === anchor)
    return { page: name, title, heading, text: part.trim(), questions: own.map(({ question }) => question).join('\n') }
  })

/** Splits a text before its headings, but not before comments of its code. */
function partsOf(text: string): string[] {
  const parts: string[] = []
  let fence = ''
  for (const line of text.split('\n')) {
    const [mark = ''] = /^ *`{3,}/.exec(line) ?? []
    if (fence === '') fence = mark.trim()
    else if (mark.trim().length >= fence.length && line.trim() === mark.trim()) fence = ''
    if (parts.length === 0 || (fence === '' && /^#{1,3} /.test(line))) parts.push(line)
    else parts[parts.length - 1] += `\n${line}`
  }
  return parts
}

/** As VitePress names the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')

import { textRows } from './text-rows.ts'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiDocument } from '@botwright/service/reference'
import { examplePages } from './example-pages.ts'
import { interfacePages, limitRows } from './interface-pages.ts'
import { type LostLink, siteLinks } from './links.ts'
import type { Page, Section } from './page.ts'
import { referencePages } from './reference-pages.ts'
import { insert } from './inserts.ts'
import { home, type Place, written } from './site-map.ts'

/** The files that the site serves unchanged. */
const PUBLIC = 'packages/site/docs/public'

export interface Site {
  home: Page
  sections: Section[]
  /** Links in Markdown files that have no target on the site. */
  lost: LostLink[]
  /** Markdown files in `docs` folders that are not pages. */
  unplaced: string[]
  /** Public names without a docstring. */
  undocumented: string[]
}

/** All pages of the site, in order: written ones, and those generated from examples, the contract and docstrings. */
export async function assemble(root: string): Promise<Site> {
  const document = JSON.parse(await readFile(join(root, 'packages/protocol/dist/openapi.json'), 'utf8')) as ApiDocument
  const agents = await readFile(join(root, PUBLIC, 'AGENTS.md'), 'utf8')
  const read = async ({ from, to, title }: Place): Promise<Page> => {
    const text = await readFile(join(root, from), 'utf8')
    return {
      from,
      to,
      text: insert(text, { limits: limitRows(document), agents, texts: textRows() }),
      ...(title !== undefined && { title }),
    }
  }
  const [first, sections, examples, reference] = await Promise.all([
    read(home),
    Promise.all(written.map(async ({ title, places }) => ({ title, pages: await Promise.all(places.map(read)) }))),
    examplePages(root),
    referencePages(root),
  ])
  const afterGuides = sections.findIndex(({ title }) => title === 'Guides') + 1
  const all: Section[] = [
    ...sections.slice(0, afterGuides),
    { title: 'Whole bots', pages: examples, folded: true },
    ...sections.slice(afterGuides),
    { title: 'Reference', pages: reference.pages, folded: true },
    { title: 'Bot interface', pages: interfacePages(document), folded: true },
  ]
  const places = new Map<string, string>()
  for (const { from, to } of [first, ...all.flatMap(({ pages }) => pages)]) {
    if (from === undefined) continue
    places.set(from, `/${to === 'index' ? '' : to}`)
    if (from.endsWith('/README.md')) places.set(from.slice(0, -'/README.md'.length), `/${to}`)
  }
  places.set('README.md', '/').set('examples', `/${examples[0]!.to}`)
  for (const file of await readdir(join(root, PUBLIC), { recursive: true })) places.set(`${PUBLIC}/${file}`, `/${file}`)
  const lost: LostLink[] = []
  const linked = (page: Page): Page => {
    if (page.from === undefined) return page
    const { text, lost: own } = siteLinks(page.text, page.from, places)
    lost.push(...own)
    return { ...page, text }
  }
  return {
    home: linked(first),
    sections: all.map((section) => ({ ...section, pages: section.pages.map(linked) })),
    lost,
    unplaced: (await pageFiles(root)).filter((file) => !places.has(file)),
    undocumented: reference.undocumented,
  }
}

/** The written pages: every Markdown file in a package's `docs`. */
async function pageFiles(root: string): Promise<string[]> {
  const folders = (await readdir(join(root, 'packages'))).map((name) => `packages/${name}/docs`)
  const found = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(join(root, folder)).catch(() => [])
      return names.filter((name) => name.endsWith('.md')).map((name) => `${folder}/${name}`)
    }),
  )
  return found.flat().sort()
}

import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Site } from './assemble.ts'
import { fileOf, llmsFull, llmsTxt } from './llms.ts'
import { changedMs } from './changed.ts'
import { titleOf } from './page.ts'
import { questionsOf } from './questions.ts'

/** The file that a page is written from, and its last change in milliseconds if that is known. */
interface Source {
  from: string
  changedMs?: number | undefined
}

/** Writes the pages for VitePress, with the list of pages, the questions they answer, the images, and the texts for language models. */
export async function writePages(site: Site, folders: { root: string; docs: string; pages: string }): Promise<void> {
  const { root, pages, docs } = folders
  const times = await changedMs(root)
  await rm(pages, { recursive: true, force: true })
  // Must run first: copying fails if the folder already exists.
  await cp(join(docs, 'public'), join(pages, 'public'), { recursive: true })
  const put = async (file: string, text: string) => {
    await mkdir(dirname(join(pages, file)), { recursive: true })
    await writeFile(join(pages, file), text)
  }
  const all = site.sections.flatMap((section) => section.pages)
  const sidebar = site.sections.map(({ title, pages: own, folded }) => ({
    text: title,
    ...(folded !== undefined && { collapsed: folded }),
    items: own.map((page) => ({ text: titleOf(page), link: `/${page.to}` })),
  }))
  const sources = Object.fromEntries(
    all.flatMap((page): [string, Source][] =>
      page.from === undefined ? [] : [[fileOf(page), { from: page.from, changedMs: times.get(page.from) }]],
    ),
  )
  await Promise.all([
    ...[site.home, ...all].map((page) => put(fileOf(page), page.text)),
    put('sidebar.json', JSON.stringify(sidebar)),
    put('sources.json', JSON.stringify(sources)),
    put(
      'questions.json',
      JSON.stringify(all.filter(({ to }) => to === 'how-do-i').flatMap((page) => questionsOf(page.text))),
    ),
    put('public/llms.txt', llmsTxt(site.sections)),
    put('public/llms-full.txt', llmsFull(site.sections)),
  ])
}

/** Every page in Markdown, next to its HTML: `/guides/buttons.md`. */
export async function writeMarkdown(site: Site, folder: string): Promise<void> {
  await Promise.all(
    site.sections.flatMap(({ pages }) => pages).map((page) => writeFile(join(folder, fileOf(page)), page.text)),
  )
}

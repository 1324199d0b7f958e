import { join } from 'node:path'
import { assemble } from './assemble.ts'
import { type DeadLink, deadLinks } from './check-anchors.ts'
import { writeMarkdown, writePages } from './write-pages.ts'

/** The folders of the build: the pages for VitePress, and the site that it builds from them. */
export const foldersOf = (root: string) => ({
  root,
  docs: join(root, 'packages/site/docs'),
  pages: join(root, 'packages/site/dist/pages'),
  site: join(root, 'packages/site/dist/site'),
})

/** The problems of the documentation, one line each; an empty list if the site was built into `dist/site`. */
export async function buildSite(root: string): Promise<string[]> {
  const folders = foldersOf(root)
  const site = await assemble(root)
  const problems = [
    ...site.lost.map(({ from, target }) => `${from} links to ${target}, which is not a page of the site`),
    ...site.unplaced.map((file) => `${file} is not on the site: add a row to packages/site/src/lib/site-map.ts`),
    ...site.undocumented.map((name) => `${name} has no docstring`),
  ]
  if (problems.length > 0) return problems
  await writePages(site, folders)
  const { build } = await import('vitepress')
  const warnings = await listening(() => build(join(root, 'packages/site')))
  await writeMarkdown(site, folders.site)
  const dead = await deadLinks(folders.site)
  return [...warnings, ...dead.map(({ page, href }: DeadLink) => `${page} links to ${href}, which does not exist`)]
}

/** VitePress only prints its warnings; here they are errors. */
async function listening(work: () => Promise<unknown>): Promise<string[]> {
  const said: string[] = []
  const { warn, error } = console
  console.warn = console.error = (...parts: unknown[]) => void said.push(parts.map(String).join(' '))
  try {
    await work()
  } finally {
    Object.assign(console, { warn, error })
  }
  return said.filter((line) => line.trim() !== '')
}

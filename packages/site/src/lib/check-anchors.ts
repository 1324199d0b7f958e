import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A link of the built site without a target. */
export interface DeadLink {
  page: string
  href: string
}

/** Checks every link and image of the built pages, with anchors: VitePress checks pages only. */
export async function deadLinks(folder: string): Promise<DeadLink[]> {
  const files = (await readdir(folder, { recursive: true })).map((file) => file.replaceAll('\\', '/'))
  const known = new Set(files)
  const ids = new Map<string, Set<string>>()
  const hrefs: { page: string; href: string }[] = []
  for (const page of files.filter((file) => file.endsWith('.html'))) {
    const html = await readFile(join(folder, page), 'utf8')
    ids.set(page, new Set([...html.matchAll(/\sid="(?<id>[^"]+)"/g)].map(({ groups }) => decode(groups!['id']!))))
    for (const { groups } of html.matchAll(/<(?:a|img)\s[^>]*?(?:href|src)="(?<href>[^"]+)"/g))
      hrefs.push({ page, href: decode(groups!['href']!) })
  }
  return hrefs.filter(({ page, href }) => {
    if (/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(href)) return false
    const url = new URL(href, `https://site/${page.replace(/index\.html$/, '')}`)
    const path = decodeURIComponent(url.pathname).slice(1)
    const target = [path, `${path}.html`, `${path}index.html`].find(
      (file) => known.has(file) && !(file === path && ids.has(`${path}/index.html`)),
    )
    if (target === undefined) return true
    const anchor = decodeURIComponent(url.hash.slice(1))
    return anchor !== '' && ids.get(target)?.has(anchor) !== true
  })
}

const decode = (text: string) =>
  text
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")

import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { deadLinks } from './check-anchors.ts'

async function dead(files: Record<string, string>) {
  const root = await mkdtemp(join(tmpdir(), 'botwright-site-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(root, dirname(path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
    return (await deadLinks(root)).map(({ page, href }) => `${page} ${href}`)
  } finally {
    await rm(root, { recursive: true })
  }
}

test('accepts links to existing pages, folders, files and anchors', async () => {
  expect(
    await dead({
      'index.html':
        '<a href="/guides/one#a-b">1</a> <a href="/guides/">2</a> <img src="/x.webp"> <a href="#top" id="top">3</a>',
      'guides/index.html': '<a href="one">1</a>',
      'guides/one.html':
        '<h2 id="a-b">A</h2> <a class="x" href="/">home</a> <a href="https://example.com/gone">out</a>',
      'x.webp': '',
    }),
  ).toEqual([])
})

test('reports links to a missing page, image and anchor', async () => {
  expect(
    await dead({
      'index.html': '<a href="/gone">1</a> <img alt="" src="/gone.webp"> <a href="/one#gone">3</a>',
      'one.html': '',
    }),
  ).toEqual(['index.html /gone', 'index.html /gone.webp', 'index.html /one#gone'])
})

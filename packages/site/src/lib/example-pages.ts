import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from './page.ts'

const LEFT_OUT = new Set([
  'README.md',
  'package.json',
  'tsconfig.json',
  'node_modules',
  'dist',
  '.botwright',
  '.framework',
])

/** One page per bot in `examples/`, with its description and all of its files. Lists the folder, so no example is missing. */
export async function examplePages(root: string): Promise<Page[]> {
  const names = (await readdir(join(root, 'examples'), { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
  return Promise.all(names.map((name) => examplePage(root, name)))
}

async function examplePage(root: string, name: string): Promise<Page> {
  const folder = `examples/${name}`
  const read = (file: string) => readFile(join(root, folder, file), 'utf8')
  const files = (await filesIn(join(root, folder))).filter((file) => /\.[jt]s$/.test(file))
  const parts = await Promise.all(
    files.map(async (file) => ['', `\`\`\`ts`, `// ${folder}/${file}`, (await read(file)).trimEnd(), '```'].join('\n')),
  )
  const intro = (await read('README.md')).trimEnd()
  const text = [intro, '', '## Its files', ...parts, ''].join('\n')
  return { to: `examples/${name}`, from: `${folder}/README.md`, text }
}

/** Files in reading order: the bot's own, then its tests. */
async function filesIn(folder: string, path = ''): Promise<string[]> {
  const entries = (await readdir(join(folder, path), { withFileTypes: true })).filter(({ name }) => !LEFT_OUT.has(name))
  const found = await Promise.all(
    entries
      .map(({ name }) => join(path, name))
      .map(async (each, at) => (entries[at]!.isDirectory() ? filesIn(folder, each) : [each.replaceAll('\\', '/')])),
  )
  const isTest = (file: string) => Number(file.startsWith('test/'))
  return found.flat().sort((a, b) => isTest(a) - isTest(b) || (a < b ? -1 : 1))
}

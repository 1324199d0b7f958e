import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sourceFiles } from '../source-files.ts'
import { digest, digestOfFile, type Digests } from './digest.ts'

/** What the last checks found nothing in, by the texts that they read. `npm ci` removes it, so a clean checkout is checked whole. */
export interface KnownGood {
  /** Digest of what the rules themselves are made of. */
  rules: string
  /** Of each linted project everything that its program read: types come from other files too. */
  projects: Record<string, Digests>
  lint: Digests
  format: Digests
}

const FILE = 'node_modules/.cache/botwright-check.json'

/** Rules, tools and their versions, and what decides how an import is resolved. */
const RULES =
  /(?:^|\/)(?:\.prettier\w*(?:\.\w+)?|\.editorconfig|eslint\.config\.mjs|package-lock\.json|package\.json|tsconfig[\w.]*\.json)$/

export async function readKnownGood(root: string): Promise<KnownGood> {
  const house = fileURLToPath(new URL('.', import.meta.url))
  const own = (await sourceFiles(house)).map((path) => digestOfFile(house, path))
  const rules = (await sourceFiles(root))
    .filter((path) => RULES.test(path))
    .map((path) => path + digestOfFile(root, path))
  const now = digest([process.version, ...own, ...rules].join('\n'))
  const text = await readFile(join(root, FILE), 'utf8').catch(() => '{}')
  const kept = parse(text)
  return kept?.rules === now ? kept : { rules: now, projects: {}, lint: {}, format: {} }
}

export async function writeKnownGood(root: string, known: KnownGood): Promise<void> {
  const path = join(root, FILE)
  await mkdir(dirname(path), { recursive: true })
  // Another check may run in the same folder: each reads a whole file.
  await writeFile(`${path}.${process.pid}`, JSON.stringify(known))
  await rename(`${path}.${process.pid}`, path)
}

function parse(text: string): KnownGood | undefined {
  try {
    return JSON.parse(text) as KnownGood
  } catch {
    return undefined
  }
}

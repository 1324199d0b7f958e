import { readText } from '../source-files.ts'
import { lineAt, type Violation } from '../checks/violation.ts'
import { releasedPackages, type Released } from './released.ts'

interface Root {
  version?: string
  license?: string
  author?: string
  bugs?: string
  engines?: unknown
  repository?: { url?: string }
}

/** Checks that each package has its description, author and repository for a registry; the root has the shared fields. */
export async function checkManifests(root: string): Promise<Violation[]> {
  const shared = JSON.parse(await readText(root, 'package.json')) as Root
  const license = await readText(root, 'LICENSE')
  const violations: Violation[] = []
  for (const one of await releasedPackages(root)) {
    const text = await readText(root, `${one.folder}/package.json`)
    const file = JSON.parse(text) as Record<string, unknown>
    for (const [field, wanted] of Object.entries(wantedOf(one, shared))) {
      if (isSame(file[field], wanted)) continue
      const at = text.indexOf(`\n  "${field}":`)
      violations.push({
        file: `${one.folder}/package.json`,
        ...(at === -1 ? {} : { line: lineAt(text, at + 1) }),
        fact: file[field] === undefined ? `has no "${field}"` : `has another "${field}"`,
        fix:
          wanted === SOMETHING
            ? 'write it for those who read the package on the registry'
            : `write ${JSON.stringify(wanted)}`,
      })
    }
    for (const name of ['README.md', 'LICENSE']) {
      const held = await readText(root, `${one.folder}/${name}`).catch(() => undefined)
      if (held === undefined || (name === 'LICENSE' && held !== license))
        violations.push({
          file: `${one.folder}/${name}`,
          fact:
            held === undefined ? 'is missing: npm packs only files in the folder' : 'is not the license of the root',
          fix: name === 'LICENSE' ? 'copy LICENSE of the root' : 'describe the use of the package, with a snippet',
        })
    }
  }
  return violations
}

/** Any text or list that is not empty. */
const SOMETHING = Symbol('something')

const wantedOf = ({ folder }: Released, shared: Root): Record<string, unknown> => ({
  version: shared.version,
  description: SOMETHING,
  keywords: SOMETHING,
  license: shared.license,
  author: shared.author,
  homepage: `${shared.repository?.url?.replace(/^git\+|\.git$/g, '')}/tree/main/${folder}#readme`,
  bugs: shared.bugs,
  repository: { type: 'git', url: shared.repository?.url, directory: folder },
  type: 'module',
  engines: shared.engines,
  exports: SOMETHING,
  files: SOMETHING,
  publishConfig: { access: 'public' },
})

function isSame(value: unknown, wanted: unknown): boolean {
  if (wanted !== SOMETHING) return JSON.stringify(value) === JSON.stringify(wanted)
  return value !== undefined && value !== null && Object.keys(value).length > 0
}

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Released } from '../publishing/released.ts'
import type { Violation } from '../checks/violation.ts'

/** The kind of change for a user of the package: breaking, new or fixed. */
export const kinds = ['major', 'minor', 'patch'] as const
export type Kind = (typeof kinds)[number]

/** One file in a package's `.changes/`: `minor.ask-by-button.md` with the text for its users. */
export interface Change {
  /** The package's name. */
  package: string
  kind: Kind
  text: string
  /** From the repository's root. */
  file: string
}

const CHANGES = '.changes'
const NAME = /^(?<kind>major|minor|patch)\.[a-z0-9]+(?:-[a-z0-9]+)*\.md$/

/** The changes for the next release, in the order of the packages and then of the file names; and violations for invalid files. */
export async function readChanges(root: string, packages: readonly Released[]) {
  const changes: Change[] = []
  const violations: Violation[] = []
  for (const { name, folder } of packages) {
    for (const entry of await entriesOf(join(root, folder, CHANGES))) {
      const file = `${folder}/${CHANGES}/${entry}`
      const kind = NAME.exec(entry)?.groups?.['kind'] as Kind | undefined
      const text = (await readFile(join(root, file), 'utf8')).trim()
      if (!kind)
        violations.push({
          file,
          fact: 'is not a change file',
          fix: 'name it <major, minor or patch>.<words-with-hyphens>.md',
        })
      else if (text === '')
        violations.push({ file, fact: 'is empty', fix: 'describe the change for a user of the package' })
      else if (/^#/m.test(text))
        violations.push({ file, fact: 'has a heading', fix: 'write sentences: the changelog has its own headings' })
      else changes.push({ package: name, kind, text, file })
    }
  }
  return { changes, violations }
}

async function entriesOf(folder: string): Promise<string[]> {
  return (await readdir(folder).catch((): string[] => [])).sort()
}

/**
 * The version after these changes; all packages share it. Below 1.0.0, a major change raises the minor number, as in semver.
 * 1.0.0 is a promise, so it must be named explicitly.
 */
export function nextVersion(current: string, changes: readonly Pick<Change, 'kind'>[]): string {
  const [major = 0, minor = 0, patch = 0] = current.split('.').map((part) => Number.parseInt(part, 10))
  const greatest = kinds.find((kind) => changes.some((change) => change.kind === kind))
  if (!greatest) return current
  if (greatest === 'major' && major > 0) return `${major + 1}.0.0`
  if (greatest !== 'patch') return `${major}.${minor + 1}.0`
  return `${major}.${minor}.${patch + 1}`
}

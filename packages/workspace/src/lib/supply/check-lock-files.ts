import { verifiable, type LockedPackage, type LockFile } from '../complete-lock.ts'
import { readText, sourceFiles } from '../source-files.ts'
import { lineAt, type Violation } from '../checks/violation.ts'

/** The platform of .ci/run and the release workflow: every package installed there must have a digest. */
const BUILDS_ON = { os: 'linux', cpu: 'x64', libc: 'glibc' } as const

/**
 * Checks that every package from a registry has its digest in the lock file. Skips optional packages for other platforms
 * than the one that tests and releases, because a registry has no digest of packages that it does not offer.
 */
export async function checkLockFiles(root: string): Promise<Violation[]> {
  const violations: Violation[] = []
  for (const file of await sourceFiles(root)) {
    if (!/(?:^|\/)(?:package-lock|npm-shrinkwrap)\.json$/.test(file)) continue
    const text = await readText(root, file)
    const { packages } = JSON.parse(text) as LockFile
    for (const [place, entry] of Object.entries(packages)) {
      const fact = factOf(place, entry)
      if (fact === undefined) continue
      violations.push({
        file,
        line: lineAt(text, text.indexOf(`"${place}": {`)),
        fact: `${place}@${entry.version ?? ''} ${fact}`,
        fix: 'run `node packages/workspace/bin/complete-lock.mjs`, which adds it from the registry',
      })
    }
  }
  return violations
}

function factOf(place: string, entry: LockedPackage): string | undefined {
  if (!verifiable(place, entry)) return undefined
  if (!entry.integrity) return entry.optional === true && !isForBuilds(entry) ? undefined : 'has no integrity'
  return /^sha512-[\w+/]{86}==$/.test(entry.integrity) ? undefined : 'has an integrity that is not a SHA-512 digest'
}

const isForBuilds = (entry: LockedPackage): boolean =>
  (['os', 'cpu', 'libc'] as const).every((field) => allows(entry[field], BUILDS_ON[field]))

/** Reads `os`, `cpu` and `libc` like npm: a list of allowed values, or of excluded ones with `!`. */
function allows(list: readonly string[] = [], one: string): boolean {
  if (list.includes(`!${one}`)) return false
  const named = list.filter((each) => !each.startsWith('!'))
  return named.length === 0 || named.includes(one)
}

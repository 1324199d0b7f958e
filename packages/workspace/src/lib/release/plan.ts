import { releasedPackages, type Released } from '../publishing/released.ts'
import { formatViolation } from '../violation.ts'
import { nextVersion, readChanges, type Change } from './change-files.ts'
import { changelogSection } from './changelog.ts'
import type { Git } from './git.ts'

/** What a release will do. Nothing is written until it is carried out. */
export interface ReleasePlan {
  from: string
  to: string
  tag: string
  changes: Change[]
  /** In the order in which they are published. */
  packages: Released[]
  /** One section for each package; none when the version stands already, as with the very first one. */
  changelogs: { package: Released; section: string }[]
}

/** Something that the maintainer has to put right first; told without a stack. */
export class ReleaseRefused extends Error {
  override readonly name = 'ReleaseRefused'
}

const MAX_NAMED = 10

/** Throws ReleaseRefused for an unclean tree, change files that are none, packages of several versions, a tag that is taken. */
export async function planRelease(
  root: string,
  git: Git,
  { as }: { as?: string | undefined } = {},
): Promise<ReleasePlan> {
  const dirty = await git.dirty()
  if (dirty.length > 0) {
    const more = dirty.length > MAX_NAMED ? `\n  and ${dirty.length - MAX_NAMED} more` : ''
    throw new ReleaseRefused(
      `the tree is not clean, so nobody could tell what was released; commit or remove\n  ${dirty.slice(0, MAX_NAMED).join('\n  ')}${more}`,
    )
  }
  const packages = await releasedPackages(root)
  const { changes, violations } = await readChanges(root, packages)
  if (violations.length > 0) throw new ReleaseRefused(violations.map(formatViolation).join('\n'))
  const from = oneVersion(packages)
  const to = as ?? nextVersion(from, changes)
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(to)) throw new ReleaseRefused(`"${to}" is no version; write it as 1.0.0`)
  if (to !== from && changes.length === 0)
    throw new ReleaseRefused(`${to} would have nothing to tell; add a change file to a package's .changes/`)
  const tag = `v${to}`
  const tagged = await git.tagged(tag)
  if (tagged !== undefined && (to !== from || tagged !== (await git.head())))
    throw new ReleaseRefused(`${tag} is another commit already; add a change file, so that this becomes a new version`)
  const changelogs = packages.map((one) => ({
    package: one,
    section: changelogSection(
      to,
      changes.filter((change) => change.package === one.name),
    ),
  }))
  return { from, to, tag, changes, packages, changelogs: changes.length === 0 ? [] : changelogs }
}

function oneVersion(packages: readonly Released[]): string {
  const [first] = packages
  if (!first) throw new ReleaseRefused('there is no package to release')
  const other = packages.find(({ version }) => version !== first.version)
  if (other)
    throw new ReleaseRefused(
      `${first.name} stands at ${first.version} and ${other.name} at ${other.version}; all share one version`,
    )
  return first.version
}

/** The plan as the maintainer reads it. */
export function describePlan({ from, to, changes, changelogs }: ReleasePlan): string[] {
  if (from === to) return [`${to}, as it stands: no change file waits`]
  const counts = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`
  const sections = changelogs.flatMap(({ package: { folder }, section }) => [
    '',
    `${folder}/CHANGELOG.md`,
    ...section.split('\n').map((line) => (line === '' ? '' : `  ${line}`)),
  ])
  return [`${from} → ${to}: ${counts}`, ...sections]
}

import { releasedPackages, type Released } from '../publishing/released.ts'
import { formatViolation } from '../checks/violation.ts'
import { nextVersion, readChanges, type Change } from './change-files.ts'
import { changelogSection } from './changelog.ts'
import type { Git } from './git.ts'

/** The plan of a release. Writes nothing until it is carried out. */
export interface ReleasePlan {
  from: string
  to: string
  tag: string
  changes: Change[]
  /** In the order of publishing. */
  packages: Released[]
  /** One section for each package; empty if the version already exists, as for the very first release. */
  changelogs: { package: Released; section: string }[]
}

/** A problem that the maintainer must fix first. Printed without a stack. */
export class ReleaseRefused extends Error {
  override readonly name = 'ReleaseRefused'
}

const MAX_NAMED = 10

/** Throws ReleaseRefused for an unclean tree, invalid change files, packages of several versions, or an existing tag. */
export async function planRelease(
  root: string,
  git: Git,
  { as }: { as?: string | undefined } = {},
): Promise<ReleasePlan> {
  const dirty = await git.dirty()
  if (dirty.length > 0) {
    const more = dirty.length > MAX_NAMED ? `\n  and ${dirty.length - MAX_NAMED} more` : ''
    throw new ReleaseRefused(
      `the tree is not clean, so the release could not be reproduced; commit or remove\n  ${dirty.slice(0, MAX_NAMED).join('\n  ')}${more}`,
    )
  }
  const packages = await releasedPackages(root)
  const { changes, violations } = await readChanges(root, packages)
  if (violations.length > 0) throw new ReleaseRefused(violations.map(formatViolation).join('\n'))
  const from = oneVersion(packages)
  const to = as ?? nextVersion(from, changes)
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(to)) throw new ReleaseRefused(`"${to}" is not a version; write it as 1.0.0`)
  if (to !== from && changes.length === 0)
    throw new ReleaseRefused(`${to} would have no changes; add a change file to a package's .changes/`)
  const tag = `v${to}`
  const tagged = await git.tagged(tag)
  if (tagged !== undefined && (to !== from || tagged !== (await git.head())))
    throw new ReleaseRefused(`${tag} already exists for another commit; add a change file to get a new version`)
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
      `${first.name} has version ${first.version} and ${other.name} ${other.version}; all packages must share one version`,
    )
  return first.version
}

/** The plan as lines for the maintainer. */
export function describePlan({ from, to, changes, changelogs }: ReleasePlan): string[] {
  if (from === to) return [`${to}, unchanged: there are no change files`]
  const counts = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`
  const sections = changelogs.flatMap(({ package: { folder }, section }) => [
    '',
    `${folder}/CHANGELOG.md`,
    ...section.split('\n').map((line) => (line === '' ? '' : `  ${line}`)),
  ])
  return [`${from} → ${to}: ${counts}`, ...sections]
}

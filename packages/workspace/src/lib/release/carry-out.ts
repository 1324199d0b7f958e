import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeVersion } from '../publishing/write-version.ts'
import { withSection } from './changelog.ts'
import type { Git } from './git.ts'
import type { ReleasePlan } from './plan.ts'

/** Writes versions and changelogs, removes the change files, and creates the commit and the tag. Only tags an existing version. */
export async function prepareRelease(root: string, git: Git, plan: ReleasePlan): Promise<void> {
  if (plan.changes.length > 0) {
    await writeVersion(root, plan.to)
    for (const { package: one, section } of plan.changelogs) {
      const file = join(root, one.folder, 'CHANGELOG.md')
      const before = await readFile(file, 'utf8').catch(() => '')
      await writeFile(file, withSection(before, one.name, section))
    }
    for (const { file } of plan.changes) await rm(join(root, file))
    await git.commit(`Release ${plan.to}`)
  }
  if ((await git.tagged(plan.tag)) === undefined) await git.tag(plan.tag, `Release ${plan.to}`)
}

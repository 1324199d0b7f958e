import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { releasedPackages } from '../publishing/released.ts'
import type { Violation } from '../checks/violation.ts'
import { API_FILE, apiReports } from './api-report.ts'

/** Compares each package's API report with its built declarations, so that a changed public name shows in review. */
export async function checkApi(root: string): Promise<Violation[]> {
  const packages = await releasedPackages(root)
  const unbuilt = packages.filter(({ folder }) => !existsSync(join(root, folder, 'dist')))
  if (unbuilt.length > 0)
    return unbuilt.map(({ folder }) => ({
      file: folder,
      fact: 'is not built',
      fix: 'fix the violations of the types check',
    }))
  const violations: Violation[] = []
  for (const [folder, text] of apiReports(root, packages)) {
    const file = `${folder}/${API_FILE}`
    const committed = await readFile(join(root, file), 'utf8').catch(() => '')
    if (committed !== text)
      violations.push({
        file,
        line: firstDifference(committed, text),
        fact: 'differs from the current exports',
        fix: 'run npm run api and review the difference; if it affects users, add a file to .changes/',
      })
  }
  return violations
}

/** Counted from 1. */
function firstDifference(before: string, after: string): number {
  const [a, b] = [before.split('\n'), after.split('\n')]
  const at = a.findIndex((line, index) => line !== b[index])
  return (at === -1 ? a.length : at) + 1
}

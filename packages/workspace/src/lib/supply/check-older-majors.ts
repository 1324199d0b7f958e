import { parse } from 'yaml'
import { readPackages } from '../packages.ts'
import { readText } from '../source-files.ts'
import { lineAt, type Violation } from '../checks/violation.ts'

const TABLE = 'packages/workspace/decisions/0005-packages.md'
const UPDATES = '.github/dependabot.yml'
const ROW = /^\| `(?<name>[^`]+)` +\| (?<kept>\d+) +\| (?<newest>\d+) +\| Node (?<node>[\d.]+) /gm

interface Updates {
  updates: { ignore?: { 'dependency-name': string; 'update-types': string[] }[] }[]
}

/**
 * Compares the table of libraries whose newest major needs a newer Node with the manifests and with the majors that Dependabot leaves out.
 * Rejects a row as soon as the oldest supported Node runs the newest major.
 */
export async function checkOlderMajors(root: string): Promise<Violation[]> {
  const text = await readText(root, TABLE)
  const packages = await readPackages(root)
  const floor = /\d[\d.]*/.exec(packages.find(({ folder }) => folder === '')?.file.engines?.['node'] ?? '')?.[0] ?? ''
  const { updates } = parse(await readText(root, UPDATES)) as Updates
  const ignored = new Set(
    updates.flatMap(({ ignore = [] }) =>
      ignore.flatMap((one) =>
        one['update-types'].includes('version-update:semver-major') ? [one['dependency-name']] : [],
      ),
    ),
  )
  const violations: Violation[] = []
  for (const { index, groups } of text.matchAll(ROW)) {
    const { name, kept, newest, node } = groups as { name: string; kept: string; newest: string; node: string }
    const report = (fact: string, fix: string) =>
      violations.push({ file: TABLE, line: lineAt(text, index), fact: `${name} ${fact}`, fix })
    const majors = new Set(
      packages.flatMap(({ file }) =>
        [file.dependencies, file.devDependencies, file.optionalDependencies].flatMap(
          (list = {}) => /^(?:npm:.+@)?(\d+)\./.exec(list[name] ?? '')?.[1] ?? [],
        ),
      ),
    )
    if (!majors.has(kept)) report(`is not a dependency with the major ${kept}`, 'correct or delete the row')
    if (Number(newest) <= Number(kept)) report('is the newest', 'delete the row')
    if (isAtLeast(floor, node)) report(`${newest} runs on Node ${floor}`, 'update it and delete the row')
    if (!ignored.delete(name)) report('has updates in Dependabot', `add it to \`ignore\` in ${UPDATES}`)
  }
  for (const name of ignored)
    violations.push({
      file: UPDATES,
      fact: `ignores new majors of ${name} without a reason`,
      fix: `add a row to ${TABLE}`,
    })
  return violations
}

const isAtLeast = (version: string, other: string): boolean =>
  version.localeCompare(other, 'en', { numeric: true }) >= 0

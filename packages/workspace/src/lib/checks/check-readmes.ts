import { ABOVE_ALL, describeFloor, floorOf } from './check-floors.ts'
import { isTemplate, type Package, readPackages } from '../packages.ts'
import { readText, sourceFiles } from '../source-files.ts'
import type { Violation } from './violation.ts'

/** Checks that each package's README starts with its name, shows code, and ends with the imports that its floor allows. */
export async function checkReadmes(root: string): Promise<Violation[]> {
  const packages = await readPackages(root)
  const house = packages.filter(({ folder }) => /^packages\/[^/]+$|^create-bot$/.test(folder) && !isTemplate(folder))
  const files = new Set(await sourceFiles(root))
  const violations = files.has(tableFile) ? packageTable(house, await readText(root, tableFile)) : []
  for (const { folder, file } of house) {
    const readme = `${folder}/README.md`
    if (!files.has(readme)) {
      violations.push({
        file: readme,
        fact: 'is missing',
        fix: 'describe the package in a paragraph and a snippet',
      })
      continue
    }
    const text = await readText(root, readme)
    const last = describeFloor(house, file.name ?? '')
    if (!text.startsWith(`# ${file.name}\n`))
      violations.push({
        file: readme,
        fact: "does not begin with the package's name",
        fix: `begin with "# ${file.name}"`,
      })
    if (!text.includes('\n```')) violations.push({ file: readme, fact: 'shows no code', fix: 'add a code example' })
    if (!text.endsWith(`\n${last}\n`))
      violations.push({
        file: readme,
        fact: 'does not end with the line about its imports',
        fix: `end with "${last}"`,
      })
  }
  return violations
}

/** The file with the table of all packages. */
const tableFile = '.github/CONTRIBUTING.md'

/** The table has a row for every package, with its floor. */
function packageTable(house: readonly Package[], readme: string): Violation[] {
  const rows = readme.split('\n').filter((line) => line.startsWith('| '))
  return house.flatMap(({ folder, file }) => {
    const floor = floorOf(file.name)
    const label = floor === ABOVE_ALL ? 'above' : String(floor)
    const row = rows.find((line) => line.includes(`](../${folder})`))
    if (row?.split('|')[1]?.trim() === label) return []
    const fact = row ? `puts ${folder} on another floor` : `has no row for ${folder}`
    return [{ file: tableFile, fact, fix: `add a row with the floor "${label}" to the table of packages` }]
  })
}

import { isTemplate, readPackages, type Package } from '../packages.ts'
import { lineAt, type Violation } from './violation.ts'

const EXACT = /^(?:npm:@?[\w./-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/
const GROUPS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const

/** Requires exact dependencies, so that installed versions are tested ones, and one version for all packages of this repository. */
export async function checkVersions(root: string): Promise<Violation[]> {
  const packages = (await readPackages(root)).filter(({ folder }) => !isTemplate(`${folder}/`))
  return packages.flatMap((each) =>
    GROUPS.flatMap((group) =>
      Object.entries(each.file[group] ?? {})
        .filter(([, version]) => !EXACT.test(version))
        .map(([name, version]) => ({
          file: each.folder === '' ? 'package.json' : `${each.folder}/package.json`,
          line: lineOf(each, name),
          fact: `${name} is "${version}"`,
          fix: 'use the exact version that was tested',
        })),
    ),
  )
}

function lineOf({ text }: Package, name: string): number {
  const wanted = `"${name}":`
  // The name may also be a key of `exports` or `bin`; the dependencies come after those.
  const start = Math.max(text.search(/"(?:dev|optional)?[dD]ependencies"/), 0)
  return lineAt(text, text.indexOf(wanted, start))
}

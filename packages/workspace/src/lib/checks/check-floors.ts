import { isBuiltin } from 'node:module'
import { join } from 'node:path/posix'
import { packageNameOf, readImports, type Import } from '../imports.ts'
import { isTemplate, ownerOf, readPackages, type Package } from '../packages.ts'
import { isCode, isTestOrBuildFile, readText, sourceFiles } from '../source-files.ts'
import type { Violation } from './violation.ts'

/** A package imports only lower floors. `workspace` and the examples are above all packages. */
const FLOORS: Record<string, number> = {
  ...{ protocol: 0, clock: 0, sqlite: 0 },
  ...{ rest: 1, events: 1, service: 1 },
  framework: 2,
  ...{ dev: 3, cluster: 3, languages: 3, plugins: 3, 'create-bot': 3 },
  // Tests run the output of `framework build`, so testing is above dev.
  testing: 4,
}
/** The floor of packages that may import all others. */
export const ABOVE_ALL = 5
const SCOPE = '@botwright/'

/** Checks that imports go to lower floors, through `exports`, and that each importer declares the imported package. */
export async function checkFloors(root: string): Promise<Violation[]> {
  const packages = await readPackages(root)
  const violations: Violation[] = []
  for (const file of (await sourceFiles(root)).filter((path) => isCode(path) && !isTemplate(path))) {
    const owner = ownerOf(packages, file)
    if (!owner) continue
    for (const found of readImports(await readText(root, file))) {
      const wrong = judge(packages, owner, file, found)
      if (wrong) violations.push({ file, line: found.line, ...wrong })
    }
  }
  return violations.concat(unplaced(packages))
}

type Wrong = Pick<Violation, 'fact' | 'fix'>

function judge(packages: Package[], owner: Package, file: string, { specifier }: Import): Wrong | undefined {
  // `#lib/a.ts` is an import of the package itself.
  if (isBuiltin(specifier) || /^(?:data:|#)/.test(specifier)) return undefined
  if (specifier.startsWith('.')) return leavesPackage(packages, owner, file, specifier)
  if (/^(?:\/|file:)/.test(specifier))
    return { fact: `imports ${specifier}`, fix: 'import by package name or relative path' }
  const name = packageNameOf(specifier)
  if (name === owner.file.name && owner.folder !== '') {
    return isTestOrBuildFile(file) || file.includes('/bin/')
      ? undefined
      : { fact: 'imports its own package by name', fix: 'use a relative path' }
  }
  return tooHigh(owner, file, name) ?? tooDeep(packages, name, specifier) ?? undeclared(packages, owner, file, name)
}

function leavesPackage(packages: Package[], owner: Package, file: string, specifier: string): Wrong | undefined {
  const target = join(file, '..', specifier)
  const targetOwner = ownerOf(packages, target)
  if (target.startsWith('..') || !targetOwner || targetOwner === owner || owner.folder === '') return undefined
  // The steps of the build share code that no package contains.
  if (file.startsWith(`${owner.folder}/scripts/`) && target.startsWith('.config/')) return undefined
  return {
    fact: `reaches into ${targetOwner.folder || 'the root'} by a relative path`,
    fix: `import ${targetOwner.file.name ?? 'the package'} by name`,
  }
}

function tooHigh(owner: Package, file: string, name: string): Wrong | undefined {
  const own = floorOf(owner.file.name)
  if (!name.startsWith(SCOPE) || own === ABOVE_ALL) return undefined
  const other = floorOf(name)
  if (other < own && (!isServiceInFramework(owner.file.name, name) || isTestOrBuildFile(file))) return undefined
  return {
    fact: `floor ${own} (${owner.folder}) imports floor ${other} (${name})`,
    fix: 'move the shared part to a lower floor, or take it as a parameter',
  }
}

/** A bot runs without the local service, so only the framework's tests may import it. */
const isServiceInFramework = (importer: string | undefined, imported: string) =>
  importer === `${SCOPE}framework` && imported === `${SCOPE}service`

function tooDeep(packages: Package[], name: string, specifier: string): Wrong | undefined {
  const target = packages.find(({ file }) => file.name === name)
  if (!name.startsWith(SCOPE)) return undefined
  if (!target) return { fact: `imports ${name}, which is not a package of this repository`, fix: 'correct the name' }
  const entry = `.${specifier.slice(name.length)}`
  if (target.file.exports?.[entry] !== undefined) return undefined
  return {
    fact: `imports "${specifier}", which ${name} does not export`,
    fix: `import from "${name}", or add "${entry}" to its exports`,
  }
}

function undeclared(packages: Package[], owner: Package, file: string, name: string): Wrong | undefined {
  const { dependencies, peerDependencies, optionalDependencies, devDependencies, joined = [] } = owner.file
  if (name in { ...dependencies, ...peerDependencies, ...optionalDependencies }) return undefined
  if (joined.includes(name) && name in { ...devDependencies }) return undefined
  const development = isTestOrBuildFile(file) || isDevelopmentOnly(owner)
  const root = packages.find(({ folder }) => folder === '')
  if (development && name in { ...devDependencies, ...root?.file.devDependencies }) return undefined
  const manifest = owner.folder === '' ? 'package.json' : `${owner.folder}/package.json`
  if (name in { ...devDependencies }) {
    return {
      fact: `requires ${name} at run time, but has it in devDependencies`,
      fix: `move it to dependencies in ${manifest}`,
    }
  }
  return {
    fact: `imports ${name} without declaring it`,
    fix: `add it to ${development ? 'devDependencies' : 'dependencies'} in ${manifest}`,
  }
}

/** The root, the checks and the examples are never installed from a registry, so the root's tools are always available to them. */
const isDevelopmentOnly = ({ folder, file }: Package) => folder === '' || file.private === true

/** The floor of a package by its name, or `ABOVE_ALL` if it has none. */
export function floorOf(name: string | undefined): number {
  return FLOORS[name?.replace(SCOPE, '') ?? ''] ?? ABOVE_ALL
}

/** The packages of this repository that a package may import, as a sentence for its README. */
export function describeFloor(packages: readonly Package[], name: string): string {
  const own = floorOf(name)
  if (own === ABOVE_ALL)
    return 'Above all floors: this package may import every other one, and no package may import it.'
  const lower = packages.flatMap(({ file }) => (file.name && floorOf(file.name) < own ? [file.name] : []))
  const allowed = lower.filter((other) => !isServiceInFramework(name, other)).map((other) => other.replace(SCOPE, ''))
  if (allowed.length === 0) return `Floor ${own}: this package must not import other packages of this repository.`
  return `Floor ${own}: of this repository, this package may import only ${allowed.sort().join(', ')}.`
}

/** Without a floor, a package could import everything unnoticed. */
function unplaced(packages: Package[]): Violation[] {
  return packages
    .filter(({ folder, file }) => folder.startsWith('packages/') && !file.private && floorOf(file.name) === ABOVE_ALL)
    .filter(({ folder }) => folder.split('/').length === 2)
    .map(({ folder }) => ({
      file: `${folder}/package.json`,
      fact: 'this package has no floor',
      fix: 'add one to packages/workspace/src/lib/checks/check-floors.ts',
    }))
}

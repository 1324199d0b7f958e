// Packages that a bot's code imports and that `npm ci --omit=dev` does not install: they are there only during development.

import { isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'
import type { Metafile } from 'esbuild'
import { type PackageJson, readPackageJson } from '@botwright/framework/start'
import { shellWord } from '@botwright/protocol/shell-word'
import { packageName } from '../compile/package-import.ts'
import { slashed } from '../files/path-below.ts'

/** A warning for each package that a production install leaves out, with the first module that imports it and the fix. */
export function undeclaredPackages(root: string, { inputs, outputs }: Metafile): string[] {
  const own = declaredIn(root)
  // Without lists of packages, something else installs them.
  if (own === undefined) return []
  // The sources also import types, which the built code does not.
  const built = new Set(Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path)))
  const warnings = new Map<string, string>()
  for (const [file, { imports }] of Object.entries(inputs).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    for (const { path, external } of imports) {
      const name = packageName(path)
      if (!external || !built.has(path) || isBuiltin(path) || /^[#./]|:/.test(path) || warnings.has(name)) continue
      if (own.production.has(name)) continue
      const folder = folderOfPackage(dirname(join(root, file)))
      // The sources of a linked package, such as a plugin of the workspace, bring the dependencies of that package.
      const declared = folder === undefined || folder === root ? own : (declaredIn(folder) ?? own)
      if (declared.name === name) continue
      const shown = slashed(join(folder === undefined ? '' : relative(root, folder), 'package.json'))
      const leftOut = declared.production.has(name)
        ? textOfLinked(name, declared.name, own)
        : textOf(name, declared.development.has(name), shown)
      if (leftOut !== undefined) warnings.set(name, `${file}: ${leftOut}`)
    }
  return [...warnings.values()]
}

/** Undefined if a production install has the linked package, and with it what it depends on. */
function textOfLinked(name: string, linked: string | undefined, own: Declared): string | undefined {
  if (linked === undefined || own.production.has(linked) || !own.development.has(linked)) return undefined
  return `the package "${linked}", whose code imports "${name}", is in devDependencies of package.json, so a production install leaves both out: npm install --save-prod ${shellWord(linked)}`
}

const textOf = (name: string, isForDevelopment: boolean, shown: string): string =>
  isForDevelopment
    ? `the package "${name}" is in devDependencies of ${shown}, so a production install leaves it out: npm install --save-prod ${shellWord(name)}`
    : `the package "${name}" is not in dependencies of ${shown}, so a production install leaves it out: npm install ${shellWord(name)}`

interface PackageFile extends PackageJson {
  optionalDependencies?: object
  peerDependencies?: object
}

interface Declared {
  name: string | undefined
  production: ReadonlySet<string>
  development: ReadonlySet<string>
}

/** The packages that the `package.json` of a folder lists; undefined if it lists none. */
function declaredIn(folder: string): Declared | undefined {
  const found: PackageFile | undefined = readPackageJson(folder)
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = found ?? {}
  if (dependencies === undefined && devDependencies === undefined) return undefined
  return {
    name: found?.name,
    production: new Set(Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })),
    development: new Set(Object.keys(devDependencies ?? {})),
  }
}

/** The folder of the package that contains another folder. A `package.json` in between may only set the kind of its modules. */
function folderOfPackage(folder: string): string | undefined {
  const { name, dependencies, devDependencies }: PackageFile = readPackageJson(folder) ?? {}
  if (name !== undefined || dependencies !== undefined || devDependencies !== undefined) return folder
  return dirname(folder) === folder ? undefined : folderOfPackage(dirname(folder))
}

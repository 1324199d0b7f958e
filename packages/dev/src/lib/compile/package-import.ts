import { build, type ImportKind, type OnResolveArgs, type OnResolveResult } from 'esbuild'
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, extname, join, relative, sep } from 'node:path'
import { didYouMean, readPackageJson } from '@botwright/framework/start'
import { shellWord } from '@botwright/protocol/shell-word'

/**
 * The rules of Node, which loads the installed packages. So a package has the same files in `framework dev`, in tests, and in a build.
 * esbuild adds the conditions `node`, `import`, `require` and `default`.
 */
export const rulesOfNode = { conditions: ['node-addons', 'module-sync'], mainFields: ['main'] }

/** Files that Node loads by itself. */
const forNode = new Set(['.js', '.mjs', '.cjs', '.node', '.wasm'])

/** The import of a package: a file that becomes part of the bot, or what Node resolves when it runs. */
export type PackageImport = { source: string; packageFile: string } | OnResolveResult

/** The files that linked packages export, which esbuild takes milliseconds to find. */
export type ExportedFiles = Map<string, string | undefined | Promise<string | undefined>>

/**
 * Resolves the import of a package. If the package is linked from elsewhere, as in a workspace, the file that it exports decides: JavaScript
 * stays outside of the bot, and TypeScript becomes part of it.
 */
export async function packageImport(
  specifier: string,
  { resolveDir, kind, importer }: Pick<OnResolveArgs, 'resolveDir' | 'kind' | 'importer'>,
  { root, exported }: { root: string; exported: ExportedFiles },
): Promise<PackageImport> {
  if (specifier.includes(':') || /^[#./]/.test(specifier)) return { path: specifier, external: true }
  const name = packageName(specifier)
  const folder = folderOf(name, resolveDir)
  if (folder === undefined) return failed(notInstalled(name, resolveDir))
  const isLinked = !/[\\/]node_modules[\\/]/.test(folder)
  const external: OnResolveResult = { path: specifier, external: true }
  if (isLinked) {
    const packageFile = join(folder, 'package.json')
    const key = `${folder}\0${specifier}\0${kind}`
    if (!exported.has(key))
      exported.set(key, pluginSource(specifier, folder) ?? fileOf(specifier, { resolveDir, kind }))
    const source = await exported.get(key)
    if (source === undefined) {
      const shown = relative(root, folder)
      return failed(
        `"${specifier}" resolves to no existing file: build the package in ${shown}, or export its TypeScript sources in ${shown}/package.json`,
      )
    }
    // A package that imports itself: its files are the bot's own.
    if (importer.startsWith(folder + sep) || !forNode.has(extname(source))) return { source, packageFile }
    // A build of the package changes it.
    external.watchDirs = [dirname(source)]
  }
  // The code runs in the bot's folder, wherever its source is.
  const ofBot = folderOf(name, root)
  if (ofBot === undefined)
    return failed(
      `The package "${name}" is not installed for the bot itself, which runs this file: npm install ${shellWord(isLinked ? asFolder(relative(root, folder)) : name)}`,
    )
  const [here, there] = ofBot === folder ? [] : [versionOf(folder), versionOf(ofBot)]
  if (here !== there)
    return failed(
      `The package "${name}" is version ${here ?? '?'} here, but ${there ?? '?'} for the bot, which runs this file: use one version`,
    )
  return external
}

/** Conditions of Node itself. */
const ownConditions: ReadonlySet<string> = new Set(['node', 'import', 'require', 'default', ...rulesOfNode.conditions])

/** A warning for each package that has other files in this process than in production: test runners pass further conditions to Node. */
export function conditionWarnings(packages: Iterable<string>, root: string): string[] {
  const passed = process.execArgv.flatMap((option, i, all) =>
    option === '--conditions' || option === '-C'
      ? (all[i + 1] ?? [])
      : (/^(?:--conditions|-C)=(.+)$/.exec(option)?.[1] ?? []),
  )
  const foreign = passed.filter((condition) => !ownConditions.has(condition))
  return [...new Set(packages)].flatMap((name) => {
    const folder = folderOf(name, root)
    const found = folder === undefined ? undefined : readPackage(folder)?.exports
    const condition = foreign.find((one) => hasCondition(found, one))
    return condition === undefined
      ? []
      : [
          `the tests load the package "${name}" with the condition "${condition}", and the bot does not: in vitest.config.ts, set plugins: [botwright()], imported from @botwright/testing/vitest`,
        ]
  })
}

const hasCondition = (exported: unknown, condition: string): boolean =>
  typeof exported === 'object' &&
  exported !== null &&
  (Object.hasOwn(exported, condition) || Object.values(exported).some((one) => hasCondition(one, condition)))

/** `@acme/shared` of `@acme/shared/text`. */
export const packageName = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier

/** A relative path that npm does not take for a repository. */
const asFolder = (path: string): string => (path.startsWith('.') ? path : `./${path}`)

const failed = (text: string): OnResolveResult => ({ errors: [{ text }] })

/** A missing package is reported where it is imported, before Node reports it in the emitted file. */
function notInstalled(name: string, resolveDir: string): string {
  if ('pnp' in process.versions)
    return `The package "${name}" has no folder in node_modules: Yarn Plug'n'Play is not supported; set nodeLinker: node-modules in .yarnrc.yml, and run yarn install`
  // A misspelled name may be an unrelated package: do not suggest installing it.
  const near = didYouMean(name, dependenciesOf(resolveDir))
  return `The package "${name}" is not installed${near === undefined ? `: npm install ${shellWord(name)}` : `; did you mean "${near}"?`}`
}

/** The real location of a package that code in a folder imports by its name; undefined if there is none. */
function folderOf(name: string, from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const installed = join(at, 'node_modules', name)
    if (existsSync(installed)) return realpathSync(installed)
    if (exportsItself(at, name)) return at
    if (dirname(at) === at) return undefined
  }
}

/**
 * The `plugin.ts` of a plugin that is a package of the workspace: its package.json names it as `botwright`. The bot then runs the plugin's
 * sources with its own, and reloads when they are saved. Undefined for every other import.
 */
function pluginSource(specifier: string, folder: string): string | undefined {
  const declared = declaredSource(readPackage(folder)?.botwright, `.${specifier.slice(packageName(specifier).length)}`)
  const source = declared === undefined ? undefined : join(folder, declared)
  return source !== undefined && existsSync(source) ? source : undefined
}

/** The plugins of a package by their entries, as the field `botwright` of its package.json declares them. A package with one has no entries there. */
export const byEntry = (botwright: unknown): Record<string, unknown> =>
  hasSeveral(botwright) ? (botwright as Record<string, unknown>) : { '.': botwright }

/** Whether it declares them by their entries: then each is in a folder with the name of its entry. */
export const hasSeveral = (botwright: unknown): boolean =>
  isObject(botwright) && Object.keys(botwright).some((key) => key.startsWith('.'))

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The source of one plugin; undefined if the field does not name it. */
export function declaredSource(botwright: unknown, entry: string): string | undefined {
  const declared = byEntry(botwright)[entry]
  const source = isObject(declared) ? declared['source'] : declared
  return typeof source === 'string' ? source : undefined
}

/** The `plugin.ts` of an imported plugin that is linked from elsewhere, as in a workspace. Undefined for every other import. */
export function linkedPlugin(specifier: string, resolveDir: string): string | undefined {
  const folder = folderOf(packageName(specifier), resolveDir)
  const isLinked = folder !== undefined && !/[\\/]node_modules[\\/]/.test(folder)
  return isLinked ? pluginSource(specifier, folder) : undefined
}

/** A package with exports may import itself by its own name. */
function exportsItself(folder: string, name: string): boolean {
  if (basename(folder) === 'node_modules') return false
  const found = readPackage(folder)
  return found?.name === name && found.exports !== undefined
}

interface PackageFile {
  name?: unknown
  version?: string
  exports?: unknown
  botwright?: unknown
  dependencies?: object
  devDependencies?: object
}

const readPackage = (folder: string): PackageFile | undefined => readPackageJson(folder)

const versionOf = (folder: string): string | undefined => readPackage(folder)?.version

/** The packages that the nearest package.json names. */
function dependenciesOf(folder: string): string[] {
  for (let at = folder; ; at = dirname(at)) {
    const found = readPackage(at)
    if (found) return Object.keys({ ...found.dependencies, ...found.devDependencies })
    if (dirname(at) === at) return []
  }
}

/** The real path of the file that a package exports; undefined if there is none. */
async function fileOf(specifier: string, from: { resolveDir: string; kind: ImportKind }): Promise<string | undefined> {
  let path: string | undefined
  // The builds of a bot leave packages to Node, so this one resolves only.
  await build({
    ...rulesOfNode,
    stdin: { contents: '', resolveDir: from.resolveDir },
    bundle: true,
    write: false,
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'botwright-package',
        setup(asking) {
          asking.onStart(async () => {
            const found = await asking.resolve(specifier, from)
            if (found.errors.length === 0) path = found.path
          })
        },
      },
    ],
  })
  return path
}

import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { parseJsonWithComments } from './json-with-comments.ts'
import { slashed } from './path-below.ts'

/** The files that decide how the sources in some folders are compiled, and what their imports mean. */
export interface SettingsFiles {
  /** The absolute paths of each `package.json`, each `tsconfig.json` or `jsconfig.json`, and all that these extend. */
  files: ReadonlySet<string>
  /** Settings that change what TypeScript writes, and do nothing here; each with the fix. */
  warnings: readonly string[]
}

interface CompilerSettings {
  extends?: unknown
  files?: unknown
  include?: unknown
  references?: unknown
  compilerOptions?: Record<string, unknown>
}

/** Finds the settings of the sources in some folders (absolute), as esbuild and Node do. Paths in the warnings are relative to `root`. */
export function settingsAround(folders: Iterable<string>, root: string): SettingsFiles {
  const files = new Set<string>()
  const configs = new Set<string>()
  for (const folder of folders) {
    const scope = nearest(folder, ['package.json'])
    if (scope !== undefined) files.add(scope)
    const config = nearest(folder, ['tsconfig.json', 'jsconfig.json'])
    if (config !== undefined) configs.add(config)
  }
  const warnings = [...configs].flatMap((config) => {
    const chain = chainOf(config)
    for (const { file } of chain) files.add(file)
    for (const file of referencesOf(config)) files.add(file)
    const found = [...ignoredOptions(chain), ...referencedPaths(config, chain)]
    return found.map(({ file, text }) => `${slashed(relative(root, file))} sets ${text}`)
  })
  return { files, warnings: [...new Set(warnings)] }
}

function nearest(folder: string, names: readonly string[]): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = names.map((name) => join(at, name)).find((file) => existsSync(file))
    if (found !== undefined || dirname(at) === at) return found
  }
}

/** The configurations that a `tsconfig.json` refers to, as solution files of Vite and Nx do; absolute. */
export function referencesOf(file: string): string[] {
  const { references } = readSettings(file)
  if (!Array.isArray(references)) return []
  return references.flatMap((one: { path?: unknown } | null) => {
    if (typeof one?.path !== 'string') return []
    const path = resolve(dirname(file), one.path)
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, 'tsconfig.json') : path
  })
}

/** The configurations with the sources of a project: itself, or those that it leads to if it is a solution file, without files of its own. */
export function projectsOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const { files, include } = readSettings(file)
  // Vite leaves `include` out, and Nx writes an empty one.
  const sources = [files, include].filter((one) => one !== undefined)
  const isEmpty = sources.length > 0 && sources.every((one) => Array.isArray(one) && one.length === 0)
  const references = isEmpty ? referencesOf(file) : []
  return references.length > 0 ? references.flatMap((one) => projectsOf(one, seen)) : [file]
}

/** Paths of configurations beside a solution file: the imports of a source follow the `tsconfig.json` above it. */
function referencedPaths(config: string, chain: readonly ReadConfig[]): { file: string; text: string }[] {
  if (chain.some(({ options }) => options['paths'] !== undefined)) return []
  const fix = `set it in ${basename(config)} too`
  return referencesOf(config)
    .filter((file) => dirname(file) === dirname(config))
    .filter((file) => chainOf(file).some(({ options }) => options['paths'] !== undefined))
    .map((file) => ({ file, text: `"paths", which has no effect here: ${fix}` }))
}

interface ReadConfig {
  file: string
  options: Record<string, unknown>
}

/** A configuration and those that it extends; the options of earlier ones take precedence. */
function chainOf(file: string, seen = new Set<string>()): ReadConfig[] {
  if (seen.has(file)) return []
  seen.add(file)
  const { extends: bases, compilerOptions = {} } = readSettings(file)
  const list: unknown[] = Array.isArray(bases) ? bases.toReversed() : [bases]
  const extended = list.flatMap((base) => (typeof base === 'string' ? chainOf(extendedFile(base, file), seen) : []))
  return [{ file, options: compilerOptions }, ...extended]
}

/** esbuild reports a file that cannot be read. It is watched all the same, so that the fix is noticed. */
function readSettings(file: string): CompilerSettings {
  try {
    return parseJsonWithComments(readFileSync(file, 'utf8')) ?? {}
  } catch {
    return {}
  }
}

/** The file that `extends` names: a path, or a file of a package. */
function extendedFile(base: string, from: string): string {
  if (/^\.{0,2}[\\/]/.test(base) || base === '.' || base === '..' || isAbsolute(base)) {
    const path = resolve(dirname(from), base)
    const candidates = [path, `${path}.json`, join(path, 'tsconfig.json')]
    return (
      candidates.find((one) => statSync(one, { throwIfNoEntry: false })?.isFile()) ??
      `${path.replace(/\.json$/, '')}.json`
    )
  }
  const { resolve: find } = createRequire(from)
  for (const name of [base, `${base}.json`, `${base}/tsconfig.json`]) {
    try {
      return find(name)
    } catch {
      // Not this one: esbuild reports a missing package.
    }
  }
  return join(dirname(from), 'node_modules', base)
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false

/** Options that change the JavaScript of TypeScript, and that the compiler of the framework does not have. */
const ignored: Readonly<Record<string, { applies: (value: unknown) => boolean; fix: string }>> = {
  emitDecoratorMetadata: {
    applies: isSet,
    fix: "write the types into the decorators, such as @Column('int') or @Inject(Dice), and remove it",
  },
  plugins: {
    applies: (value) =>
      Array.isArray(value) && value.some((one) => isSet((one as { transform?: unknown } | null)?.transform)),
    fix: 'run the transformer before the bot, and import the code that it writes',
  },
  moduleSuffixes: {
    applies: (value) => Array.isArray(value) && value.some((one) => one !== ''),
    fix: 'write the suffix in each import, and remove it',
  },
  rootDirs: { applies: isSet, fix: 'import files by their real path, and remove it' },
  reactNamespace: { applies: isSet, fix: 'set jsxFactory instead' },
}

function ignoredOptions(chain: readonly ReadConfig[]): { file: string; text: string }[] {
  return Object.entries(ignored).flatMap(([name, { applies, fix }]) => {
    const setter = chain.find(({ options }) => options[name] !== undefined)
    if (!setter || !applies(setter.options[name])) return []
    return [{ file: setter.file, text: `"${name}", which has no effect here: ${fix}` }]
  })
}

import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild, ResolveResult } from 'esbuild'
import { dirname, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isBuiltin } from 'node:module'
import {
  emittedPath,
  encoded,
  interop,
  isCommonJs,
  isJson,
  isModule,
  requiredJson,
  unversioned,
} from './emitted-path.ts'
import { type ExportedFiles, packageImport, packageName } from './package-import.ts'
import { slashed } from '../files/path-below.ts'

/** The meaning of the imports of a bot. */
export class Resolutions {
  /** So that a save does not ask esbuild. */
  readonly known = new Map<string, OnResolveResult>()
  readonly exported: ExportedFiles = new Map()
  /** The absolute paths of folders in which a new file may change the meaning of an import. */
  readonly folders = new Set<string>()
  /** The absolute paths of imports without a file. */
  readonly missing = new Set<string>()
  /** The absolute paths of the `package.json` of linked packages that became part of the bot. */
  readonly packageFiles = new Set<string>()
  /** The absolute paths of the folders of linked packages that Node loads, with the absolute paths of the modules that import them. */
  readonly linked = new Map<string, Set<string>>()

  clear(): void {
    this.known.clear()
    this.exported.clear()
    this.folders.clear()
    this.missing.clear()
    this.packageFiles.clear()
    this.linked.clear()
  }
}

/** Keeps local modules separate, each in its own file (one instance however many import it), and leaves packages to Node. */
export function resolvePlugin(root: string, resolutions: Resolutions): Plugin {
  return {
    name: 'botwright-modules',
    setup(build) {
      build.onResolve({ filter: /.*/ }, async (args) => {
        if (args.kind === 'entry-point' || args.pluginData === asked) return undefined
        if (args.namespace === interop) return { path: args.path, external: true }
        const key = `${args.importer}\0${args.path}\0${args.kind}\0${args.with['type']}`
        const known = resolutions.known.get(key)
        if (known) return known
        const result = await resolveImport(build, root, { args, resolutions })
        if (!result.errors?.length) resolutions.known.set(key, result)
        return result
      })
    },
  }
}

/** The namespace of JSON that is imported with its attribute: esbuild would have another copy for imports without it. */
const json = 'botwright-json'

/** The files of a build, with absolute paths. */
export interface BuildFiles {
  /** The paths below the output folder of the modules that have a file of their own: Node loads them in the order of the imports. */
  built: ReadonlyMap<string, string>
  entries: ReadonlySet<string>
  /** Receives the files of linked packages that are not yet entries. esbuild applies `tsconfig.json` only to files that it finds itself. */
  linked: Set<string>
}

/** For `framework build`: resolves the imports of packages in the same way. */
export function bundlePlugin(root: string, { built, entries, linked }: BuildFiles): Plugin {
  const exported: ExportedFiles = new Map()
  return {
    name: 'botwright-packages',
    setup(build) {
      build.onLoad({ filter: /.*/, namespace: json }, ({ path }) => ({
        contents: `export { default } from ${JSON.stringify(path)}\n`,
        resolveDir: dirname(path),
      }))
      build.onResolve({ filter: /.*/ }, async (args) => {
        if (args.kind === 'entry-point' || args.pluginData === asked || isBuiltin(args.path)) return undefined
        const found = await ask(build, args)
        if (found.errors.length > 0) return undefined
        const inBuild = (path: string) => {
          const [from, to] = [built.get(args.importer), built.get(path)]
          return from === undefined || to === undefined ? undefined : importOf(to, from)
        }
        if (!found.external) {
          const { path, namespace } = found
          if (args.with['type'] === 'json' && namespace === 'file') return { path, namespace: json }
          return inBuild(path)
        }
        const result = await packageImport(found.path, args, { root, exported })
        if (!('source' in result)) return result
        const { source } = result
        if (entries.has(source) || !/\.m?tsx?$/.test(source)) return inBuild(source) ?? { path: source }
        linked.add(source)
        return { path: args.path, external: true }
      })
    },
  }
}

/** Marks our own request to esbuild, which would otherwise call us again. */
const asked = Symbol('asked')

function ask(build: PluginBuild, { path, resolveDir, kind, importer, with: attributes }: OnResolveArgs) {
  return build.resolve(path, { resolveDir, kind, importer, pluginData: asked, with: attributes })
}

async function resolveImport(
  build: PluginBuild,
  root: string,
  { args, resolutions }: { args: OnResolveArgs; resolutions: Resolutions },
): Promise<OnResolveResult> {
  const { path, resolveDir, importer, kind } = args
  if (isBuiltin(path)) return { path, external: true }
  if (path.startsWith('.')) resolutions.folders.add(dirname(resolve(resolveDir, path)))
  const found: ResolveResult = await ask(build, args)
  if (found.errors.length > 0) {
    if (path.startsWith('.')) resolutions.missing.add(resolve(resolveDir, path))
    return { errors: [{ text: `Could not resolve "${path}"` }] }
  }
  if (found.external) {
    const result = await packageImport(found.path, args, { root, exported: resolutions.exported })
    if (!('source' in result)) {
      for (const folder of result.watchDirs ?? []) {
        if (!resolutions.linked.has(folder)) resolutions.linked.set(folder, new Set())
        resolutions.linked.get(folder)!.add(importer)
      }
      return result
    }
    resolutions.packageFiles.add(result.packageFile)
    return part(result.source, 'file')
  }
  return part(found.path, found.namespace)

  function part(file: string, namespace: string): OnResolveResult {
    const isInstalled = slashed(file).includes('/node_modules/')
    if (!isModule(file) && (isInstalled || !isJsonModule(args, file))) return { path: file, namespace }
    if (isInstalled) {
      // Settings such as "paths" have led there, or a relative path.
      const isByName = slashed(file).includes(`/node_modules/${packageName(path)}/`)
      return { path: isByName ? path : pathToFileURL(file).href, external: true }
    }
    resolutions.folders.add(dirname(file))
    const module = localModule(file, root, importer)
    if (isJson(file) && kind === 'require-call') return { ...module, path: requiredJson(module.path) }
    const isImported = isCommonJs(file) && kind === 'import-statement' && !isCommonJs(importer)
    // Node would apply the attribute of JSON to the emitted module.
    return isImported || (!isModule(file) && 'type' in args.with) ? { path: module.path, namespace: interop } : module
  }
}

/** Whether an import or `require` yields JSON, which is one instance for all of them, as in Node. */
const isJsonModule = ({ with: { type = 'json' } }: OnResolveArgs, file: string): boolean =>
  isJson(file) && type === 'json'

/** The import of one emitted module by another. */
export const localModule = (path: string, root: string, importer: string): { path: string; external: true } =>
  importOf(
    emittedPath(slashed(relative(root, path)), unversioned),
    emittedPath(slashed(relative(root, importer)), unversioned),
  )

/** The import of one file by another, whose paths begin in the same folder. */
function importOf(to: string, from: string): { path: string; external: true } {
  const specifier = encoded(slashed(relative(dirname(from), to)))
  return { path: specifier.startsWith('.') ? specifier : `./${specifier}`, external: true }
}

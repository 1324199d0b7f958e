import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from 'esbuild'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { didYouMean } from '@botwright/framework/start'
import { isBuiltin } from 'node:module'
import { pluginSource } from './plugins/plugin-source.ts'
import { slashed } from './path-below.ts'

/** Placeholder in an emitted import for the version of the imported file; as long as a version, so that columns stay correct. */
export const unversioned = '@@@@@@'

const moduleExtensions = new Set(['.ts', '.mts', '.js', '.mjs', '.tsx', '.jsx'])

/** The location of a source file's JavaScript below the output folder. Files outside the bot's folder stay below it too. */
export function emittedPath(file: string, version: string): string {
  return `${outward(file)}.${version}.mjs`
}

/** A path below the output folder; only a path that leaves the bot's folder begins with `../`. */
export const outward = (file: string): string => file.replace(/^(?:\.\.\/)+/, (up) => up.replaceAll('../', '_up/'))
/** The file of such a path. */
export const inward = (path: string): string => path.replace(/^(?:_up\/)+/, (up) => up.replaceAll('_up/', '../'))

/** Caches the meaning of specifiers, so that a save does not ask esbuild. Cleared when files appear or disappear. */
export type ResolveCache = Map<string, OnResolveResult>

/** Keeps local modules separate, each in its own file (one instance however many import it), and leaves packages to Node. */
export function resolvePlugin(root: string, cache: ResolveCache): Plugin {
  return {
    name: 'botwright-modules',
    setup(build) {
      build.onResolve({ filter: /.*/ }, async (args) => {
        if (args.kind === 'entry-point' || args.pluginData === asked) return undefined
        const key = `${args.importer}\0${args.path}\0${args.kind}`
        const known = cache.get(key)
        if (known) return known
        const result = await resolveImport(build, root, args)
        if (!result.errors?.length) cache.set(key, result)
        return result
      })
    },
  }
}

/** Marks our own request to esbuild, which would otherwise call us again. */
const asked = Symbol('asked')

async function resolveImport(build: PluginBuild, root: string, args: OnResolveArgs): Promise<OnResolveResult> {
  const { path, resolveDir, kind, importer } = args
  if (isBuiltin(path)) return { path, external: true }
  const found = await build.resolve(path, { resolveDir, kind, importer, pluginData: asked, with: args.with })
  if (found.errors.length > 0) return { errors: [{ text: `Could not resolve "${path}"` }] }
  const source = found.external ? pluginSource(path, resolveDir) : undefined
  if (found.external && source === undefined) return externalPackage(path, resolveDir)
  if (source !== undefined) return localModule(source, root, importer)
  if (!moduleExtensions.has(extname(found.path))) return { path: found.path, namespace: found.namespace }
  if (slashed(found.path).includes('/node_modules/')) return { path, external: true }
  return localModule(found.path, root, importer)
}

/** The import of one emitted module by another. */
export function localModule(path: string, root: string, importer: string): OnResolveResult {
  const from = dirname(emittedPath(slashed(relative(root, importer)), unversioned))
  const to = emittedPath(slashed(relative(root, path)), unversioned)
  const specifier = slashed(relative(from, to))
  return { path: specifier.startsWith('.') ? specifier : `./${specifier}`, external: true }
}

/** Reports a missing package where it is imported, before Node reports it in the emitted file. */
function externalPackage(path: string, resolveDir: string): OnResolveResult {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path
  const local = path.startsWith('#') || path.includes(':') || path.startsWith('.') || path.startsWith('/')
  if (local || isInstalled(name, resolveDir)) return { path, external: true }
  // A misspelled name may be an unrelated package: do not suggest installing it.
  const near = didYouMean(name, dependenciesOf(resolveDir))
  const fix = near === undefined ? `: npm install ${name}` : `; did you mean "${near}"?`
  return { errors: [{ text: `The package "${name}" is not installed${fix}` }] }
}

/** The packages that the nearest package.json names. */
function dependenciesOf(folder: string): string[] {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, 'package.json')
    if (existsSync(file)) {
      try {
        const { dependencies, devDependencies } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>
        return Object.keys({ ...dependencies, ...devDependencies })
      } catch {
        return []
      }
    }
    if (dirname(at) === at) return []
  }
}

function isInstalled(name: string, folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, 'node_modules', name))) return true
    // A package may import itself by its own name.
    if (dirname(at) === at) return false
  }
}

/** The source file of an emitted path or import, or undefined if it is none. */
export function sourceOfEmitted(path: string): string | undefined {
  const emitted = /^(.+)\.[0-9a-z@]{6}\.mjs$/.exec(path)?.[1]
  return emitted === undefined ? undefined : inward(emitted)
}

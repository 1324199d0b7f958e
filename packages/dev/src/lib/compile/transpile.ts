import { build, type BuildFailure, type BuildOptions, type Loader, type Metafile, type Plugin } from 'esbuild'
import { readFileSync, realpathSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { decodeText, isUtf16, utf16Rule } from '@botwright/protocol/text-file'
import { codeOfJson, interopPlugin } from './common-js.ts'
import { GlobImports } from './glob-import.ts'
import { moduleBeside, pathsOf, withModules } from './paths-beside.ts'
import type { FilesUsed, ModuleNode } from './module-graph.ts'
import { CompileError, problemOf } from './problem.ts'
import { slashed } from '../files/path-below.ts'
import { filesUsed } from './files-read.ts'
import { rulesOfNode } from './package-import.ts'
import { localModule, resolvePlugin, type Resolutions } from './resolve.ts'
import {
  decoded,
  emittedExtension,
  emittedPath,
  interop,
  isCommonJs,
  isJson,
  isModule,
  requiredJson,
  resolveOfSource,
  sourceOfEmitted,
  textExtensions,
  unversioned,
} from './emitted-path.ts'

/** esbuild's options for both `framework dev` and `framework build`. Texts and JSON become part of the module that imports them. */
export const commonOptions = {
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  ...rulesOfNode,
  // A bot runs all of its modules, whatever "sideEffects" of a package.json promises.
  ignoreAnnotations: true,
  metafile: true,
  logLevel: 'silent',
  outExtension: { '.js': '.mjs' },
  loader: Object.fromEntries(textExtensions.map((extension) => [extension, 'text' as const])),
} satisfies BuildOptions

/** Refuses imported texts in UTF-16, which esbuild would import as they are. It rejects modules and JSON in UTF-16 itself. */
export const refuseUtf16: Plugin = {
  name: 'botwright-utf16',
  setup(build) {
    const { absWorkingDir = '' } = build.initialOptions
    build.onLoad({ filter: /\.(?:txt|md|html|sql)$/ }, ({ path }) => {
      if (!isUtf16(readFileSync(path))) return undefined
      return { errors: [{ text: utf16Rule, location: { file: relative(absWorkingDir, path) } }] }
    })
  },
}

/** The name of `import.meta` in a compiled module. */
export const ownMeta = '__botwright_meta'

/** The code of `import.meta.resolve` for a module whose code is elsewhere; `url`: the code of its location. Packages are those of the bot. */
export const resolverOf = (url: string): string =>
  `(to) => /^\\.{0,2}\\//.test(to) ? new URL(to, ${url}).href : import.meta.resolve(to)`

const noFiles: FilesUsed = { reads: [], writes: [], passes: [], hands: [], exports: [] }

interface TranspileOptions {
  root: string
  outDir: string
  resolutions: Resolutions
}

/**
 * Turns each file into a JavaScript file of its own. Rejects with a `CompileError` that names every location in every file.
 */
export async function transpile(files: readonly string[], options: TranspileOptions): Promise<Map<string, ModuleNode>> {
  const nodes = new Map<string, ModuleNode>()
  const { plain, special } = splitByScope(files, options.root)
  const groups = [plain, ...special.map((file) => [file])].filter((group) => group.length > 0)
  const results = await Promise.allSettled(
    groups.map((group) => transpileGroup(group, options, nodes, group !== plain)),
  )
  const problems = results.flatMap((result) => {
    if (result.status === 'fulfilled') return []
    const { errors } = result.reason as Partial<BuildFailure>
    if (!errors) throw result.reason
    return errors.map((error) => problemOf(error, options.root))
  })
  if (problems.length > 0) throw new CompileError(problems)
  return nodes
}

async function transpileGroup(
  files: readonly string[],
  { root, outDir, resolutions }: TranspileOptions,
  nodes: Map<string, ModuleNode>,
  isSpecial: boolean,
): Promise<void> {
  // Such a file is in a group of its own.
  const scope = isSpecial ? await scopeOf(files[0]!, root, outDir) : undefined
  const outputs = await build({
    ...commonOptions,
    absWorkingDir: root,
    outdir: outDir,
    entryPoints: files.map((file) => ({
      in: join(root, file),
      out: emittedPath(file, unversioned).slice(0, -emittedExtension(file).length),
    })),
    sourcemap: 'inline',
    // The author's file is on disk; a copy in each source map would only cost time.
    sourcesContent: false,
    // The paths in the table of a pattern are read again.
    charset: 'utf8',
    plugins: [
      ...(scope ? [...scope.plugins, scope.glob.plugin] : []),
      resolvePlugin(root, resolutions),
      interopPlugin,
      refuseUtf16,
    ],
    ...scope?.options,
  })
  const codes = new Map(outputs.outputFiles.map((file) => [slashed(relative(root, file.path)), file.text]))
  const byEntry = new Map(
    Object.entries(outputs.metafile.outputs).map(([path, output]) => [output.entryPoint, { path, output }]),
  )
  for (const file of files) {
    const found = byEntry.get(file)
    const { inputs } = outputs.metafile
    const code = found && codes.get(found.path)
    const node = found && nodeOf({ file, code: code ?? '', inputs, output: found.output, scope, root })
    nodes.set(file, node ?? linkOf(file, root, byEntry))
  }
}

/** A symbolic link represents its target, which is one module for all its links. */
function linkOf(
  file: string,
  root: string,
  byEntry: ReadonlyMap<string | undefined, { output: Metafile['outputs'][string] }>,
): ModuleNode {
  const path = realpathSync(join(root, file))
  const real = slashed(relative(root, path))
  const hasDefault = byEntry.get(real)?.output.exports.includes('default') === true
  const from = JSON.stringify(localModule(path, root, join(root, file)).path)
  const required = `module.exports = require(${isJson(file) ? requiredJson(from) : from})\n`
  const code = isCommonJs(file)
    ? required
    : `export * from ${from}\n${hasDefault ? `export { default } from ${from}\n` : ''}`
  return { imports: [real], assets: [], used: noFiles, code, hasDefault, ...(isJson(file) && { required }) }
}

interface Emitted {
  file: string
  code: string
  inputs: Metafile['inputs']
  output: Metafile['outputs'][string]
  scope: ModuleScope | undefined
  root: string
}

function nodeOf({ file, code, inputs, output, scope, root }: Emitted): ModuleNode {
  const folder = dirname(emittedPath(file, unversioned))
  const imports = output.imports
    .filter(({ path, external }) => external && path.includes(`.${unversioned}.`))
    .flatMap(({ path }) => sourceOfEmitted(slashed(join(folder, decoded(path)))) ?? [])
  const globbed = (scope?.glob.modules ?? []).map((path) => slashed(relative(root, path)))
  const used = scope?.used ?? noFiles
  // A new text in the folder of a pattern is found, too.
  const patterns = (inputs[file]?.imports ?? []).filter(({ path }) => path.includes('*'))
  const folders = patterns.map(({ path }) =>
    slashed(join(dirname(file), path.slice(0, path.lastIndexOf('/', path.indexOf('*')) + 1))),
  )
  const isAsset = (input: string) => input !== file && !globbed.includes(input) && !input.startsWith(`${interop}:`)
  return {
    imports: [...new Set([...imports, ...globbed, ...(scope?.modules ?? [])])],
    assets: Object.keys(output.inputs).filter(isAsset),
    used: { ...used, reads: [...used.reads, ...folders] },
    ...(isJson(file) ? jsonOf(file, root, output.exports) : { code: scope ? scope.glob.codeOf(code) : code }),
    hasDefault: output.exports.includes('default'),
  }
}

function jsonOf(file: string, root: string, exports: readonly string[]) {
  const path = join(root, file)
  return codeOfJson(decodeText(readFileSync(path), file), {
    specifier: requiredJson(localModule(path, root, path).path),
    exports,
  })
}

/** Names and settings of one module, besides its own names. */
interface ModuleScope {
  plugins: readonly Plugin[]
  glob: GlobImports
  /** Modules that it refers to by their URLs. */
  modules: readonly string[]
  used: FilesUsed
  options: Pick<BuildOptions, 'format' | 'outExtension' | 'define' | 'banner'>
}

/**
 * Modules are emitted elsewhere, so a module that asks for its location gets that of its source, except for modules that run by themselves:
 * they run as they are emitted.
 */
async function scopeOf(file: string, root: string, outDir: string): Promise<ModuleScope> {
  const path = join(root, file)
  const filename = JSON.stringify(path)
  const folder = JSON.stringify(dirname(path))
  const specifierOf = (module: string) => localModule(module, root, path).path
  const glob = new GlobImports(realpathSync(path), { isModule, specifierOf })
  const source = readFileSync(path, 'utf8')
  const paths = await pathsOf(source, path)
  const used = filesUsed(
    paths.filter((one) => moduleBeside(one) === undefined),
    root,
  )
  if (isCommonJs(file)) {
    const define = { __filename: filename, __dirname: folder, ...resolveOfSource.define }
    // In a build, it is part of a module.
    const resolve = source.includes('require.resolve') ? resolveOfSource.declare(filename) : ''
    const banner = { js: `"use strict";${resolve}` }
    return {
      plugins: [],
      glob,
      modules: [],
      used,
      options: { format: 'cjs', outExtension: { '.js': '.cjs' }, define, banner },
    }
  }
  const url = JSON.stringify(pathToFileURL(path).href)
  const emitted = (module: string) =>
    // It takes the place of the author's text, in quotes of either kind.
    pathToFileURL(join(outDir, emittedPath(slashed(relative(root, module)), unversioned))).href.replaceAll("'", '%27')
  const modules = paths.flatMap((one) => moduleBeside(one) ?? [])
  const require = requires.test(source)
    ? "import { createRequire as __botwright_require } from 'node:module'; const require = __botwright_require(import.meta.url);"
    : ''
  return {
    plugins: [sourcePlugin(new Map([[realpathSync(path), withModules(source, paths, emitted)]]))],
    glob,
    used,
    modules: modules.map((module) => slashed(relative(root, module))),
    options: {
      define: { 'import.meta': ownMeta },
      banner: {
        js: `${require}const ${ownMeta} = { url: ${url}, filename: ${filename}, dirname: ${folder}, resolve: ${resolverOf(url)} };`,
      },
    },
  }
}

/** Calls that may have a path with a variable part. */
const calls = /\b(?:import|require)\s*\(/

/** TypeScript's `import fs = require('node:fs')`. */
const requires = /\brequire\s*\(/

/** Loads other texts for some files. */
const sourcePlugin = (sources: ReadonlyMap<string, string>): Plugin => ({
  name: 'botwright-sources',
  setup: (build) =>
    build.onLoad({ filter: /.*/, namespace: 'file' }, ({ path }) => {
      const contents = sources.get(path)
      return contents === undefined ? undefined : { contents, loader: loaderOf(path) }
    }),
})

/** esbuild's loader for a file with code. */
export const loaderOf = (path: string): Loader => extname(path).slice(1).replace(/^[cm]/, '') as Loader

/** Separates files that need more in their scope than most. */
function splitByScope(files: readonly string[], root: string) {
  const special: string[] = []
  const plain: string[] = []
  for (const file of files) {
    if (asksForMore(join(root, file))) special.push(file)
    else plain.push(file)
  }
  return { plain, special }
}

function asksForMore(path: string): boolean {
  try {
    // Synchronous: a save waits for it, and a promise waits for threads.
    const source = readFileSync(path, 'utf8')
    return isCommonJs(path) || source.includes('import.meta') || calls.test(source)
  } catch {
    // esbuild reports a missing file.
    return false
  }
}

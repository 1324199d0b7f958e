import { build, type BuildFailure, type BuildOptions, type Metafile } from 'esbuild'
import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ModuleNode } from './module-graph.ts'
import { CompileError, problemOf } from './problem.ts'
import { slashed } from './path-below.ts'
import { emittedPath, inward, localModule, resolvePlugin, unversioned, type ResolveCache } from './resolve.ts'

/** esbuild's options for both `framework dev` and `framework build`. Texts and JSON become part of the module that imports them. */
export const commonOptions = {
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  metafile: true,
  logLevel: 'silent',
  outExtension: { '.js': '.mjs' },
  loader: { '.txt': 'text', '.md': 'text', '.html': 'text', '.sql': 'text' },
} satisfies BuildOptions

interface TranspileOptions {
  root: string
  outDir: string
  cache: ResolveCache
}

/**
 * Turns each file into a JavaScript file of its own. Rejects with a `CompileError` that names every location in every file.
 */
export async function transpile(files: readonly string[], options: TranspileOptions): Promise<Map<string, ModuleNode>> {
  const nodes = new Map<string, ModuleNode>()
  const { plain, located } = splitByLocation(files, options.root)
  const groups = [plain, ...located.map((file) => [file])].filter((group) => group.length > 0)
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
  { root, outDir, cache }: TranspileOptions,
  nodes: Map<string, ModuleNode>,
  located: boolean,
): Promise<void> {
  const outputs = await build({
    ...commonOptions,
    absWorkingDir: root,
    outdir: outDir,
    entryPoints: files.map((file) => ({
      in: join(root, file),
      out: emittedPath(file, unversioned).slice(0, -'.mjs'.length),
    })),
    sourcemap: 'inline',
    // The author's file is on disk; a copy in each source map would only cost time.
    sourcesContent: false,
    plugins: [resolvePlugin(root, cache)],
    ...(located && { define: locationOf(join(root, files[0]!)) }),
  })
  const codes = new Map(outputs.outputFiles.map((file) => [slashed(relative(root, file.path)), file.text]))
  const byEntry = new Map(
    Object.entries(outputs.metafile.outputs).map(([path, output]) => [output.entryPoint, { path, output }]),
  )
  for (const file of files) {
    const found = byEntry.get(file)
    const node = found && nodeOf({ file, code: codes.get(found.path) ?? '', output: found.output })
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
  const code = `export * from ${from}\n${hasDefault ? `export { default } from ${from}\n` : ''}`
  return { imports: [real], assets: [], code, hasDefault }
}

function nodeOf(parts: { file: string; code: string; output: Metafile['outputs'][string] }): ModuleNode {
  const { file, code, output } = parts
  const suffix = `.${unversioned}.mjs`
  const folder = dirname(emittedPath(file, unversioned))
  const imports = output.imports
    .filter((imported) => imported.external && imported.path.endsWith(suffix))
    .map((imported) => inward(slashed(join(folder, imported.path.slice(0, -suffix.length)))))
  return {
    imports: [...new Set(imports)],
    assets: Object.keys(output.inputs).filter((input) => input !== file),
    code,
    hasDefault: output.exports.includes('default'),
  }
}

/** Modules are emitted elsewhere, so a module that asks for its location gets that of its source. */
function locationOf(path: string): Record<string, string> {
  return {
    'import.meta.url': JSON.stringify(pathToFileURL(path).href),
    'import.meta.filename': JSON.stringify(path),
    'import.meta.dirname': JSON.stringify(dirname(path)),
  }
}

function splitByLocation(files: readonly string[], root: string) {
  const located: string[] = []
  const plain: string[] = []
  for (const file of files) {
    if (asksWhereItIs(join(root, file))) located.push(file)
    else plain.push(file)
  }
  return { plain, located }
}

function asksWhereItIs(path: string): boolean {
  try {
    // Synchronous: a save waits for it, and a promise waits for threads.
    return readFileSync(path).includes('import.meta')
  } catch {
    // esbuild reports a missing file.
    return false
  }
}

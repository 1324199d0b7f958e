import { compiledFrom, importersOf, reachableFrom, type ModuleNode } from './module-graph.ts'
import { CompileError, type Problem } from './problem.ts'
import { EmittedModules, type ModuleCopy } from './emit.ts'
import { transpile } from './transpile.ts'
import type { ResolveCache } from './resolve.ts'
import type { Changes } from './watch.ts'

/** What a compilation made. */
export interface Compiled {
  /** For each root the absolute path of its module. */
  modules: Record<string, string>
  /** Roots that are new, have changed, or import something that has. */
  changed: string[]
  /** Absolute paths of all modules that the roots lead to. */
  emitted: string[]
}

/** Which of a bot's files matter now, and what happened to them since the last call. */
export interface CompileRequest {
  /** Files that are loaded by name: entries, and the configuration. Relative to the bot's folder. */
  roots: readonly string[]
  changes?: Partial<Changes>
}

/**
 * Compiles a bot file by file, each file into a module of its own, and only what a save has touched.
 * A bot's modules never share a file, so a module imported by several commands is one instance.
 */
export class Compiler {
  readonly #root: string
  readonly #outDir: string
  readonly #emitted: EmittedModules
  readonly #graph = new Map<string, ModuleNode>()
  readonly #cache: ResolveCache = new Map()
  /** To be compiled: what fails stays here until it compiles, so that no save is lost behind a failing one. */
  readonly #dirty = new Set<string>()
  /** Compiled, but not yet written. */
  readonly #unwritten = new Set<string>()

  /** `root`: the bot's folder; `outDir`: where modules go, inside it, so that they find its packages. Both absolute. */
  constructor(options: { root: string; outDir: string }) {
    this.#root = options.root
    this.#outDir = options.outDir
    this.#emitted = new EmittedModules(options.outDir)
  }

  /** Rejects with a `CompileError` naming every place. */
  async compile({ roots, changes = {} }: CompileRequest): Promise<Compiled> {
    this.#mark(changes)
    await this.#compileDirty(roots)
    this.#checkDefaults(roots)
    const reached = reachableFrom(this.#graph, roots)
    const written = new Set([...importersOf(this.#graph, this.#unwritten)].filter((file) => reached.has(file)))
    this.#emitted.write(written, this.#graph)
    this.#unwritten.clear()
    for (const file of this.#graph.keys()) if (!reached.has(file)) this.#graph.delete(file)
    return {
      modules: Object.fromEntries(roots.map((file) => [file, this.#emitted.pathOf(file)])),
      emitted: [...reached].map((file) => this.#emitted.pathOf(file)),
      changed: roots.filter((file) => written.has(file)),
    }
  }

  /** All that the roots lead to once more, beside the modules that there are. */
  copy(roots: readonly string[]): ModuleCopy {
    return this.#emitted.copy(reachableFrom(this.#graph, roots), this.#graph)
  }

  /** Files outside of the bot's folder that its modules were made of, or are to be. */
  get outside(): string[] {
    const all = [...this.#graph].flatMap(([file, { assets }]) => (assets.length > 0 ? [file, ...assets] : file))
    return [...new Set([...all, ...this.#dirty])].filter((file) => file.startsWith('../'))
  }

  /** Tells that the last compilation is what serves now, so that older modules can go. */
  async served(): Promise<void> {
    await this.#emitted.serve(this.#graph.keys())
  }

  /** Everything is compiled again: what stands above all files, such as `tsconfig.json`, has changed. */
  forget(): void {
    this.#cache.clear()
    for (const file of this.#graph.keys()) this.#dirty.add(file)
  }

  #mark({ saved = [], added = [], removed = [] }: Partial<Changes>): void {
    for (const file of compiledFrom(this.#graph, new Set([...saved, ...added, ...removed]))) this.#dirty.add(file)
    const moved = new Set([...added, ...removed])
    if (moved.size === 0) return
    // A file that came or went changes what imports mean: its importers are asked again.
    this.#cache.clear()
    for (const file of removed) {
      this.#graph.delete(file)
      this.#dirty.delete(file)
    }
    for (const [file, { imports }] of this.#graph) if (imports.some((other) => moved.has(other))) this.#dirty.add(file)
  }

  async #compileDirty(roots: readonly string[]): Promise<void> {
    for (const root of roots) if (!this.#graph.has(root)) this.#dirty.add(root)
    const reached = reachableFrom(this.#graph, roots)
    let wave = [...this.#dirty].filter((file) => reached.has(file))
    while (wave.length > 0) {
      const nodes = await transpile(wave, { root: this.#root, outDir: this.#outDir, cache: this.#cache })
      for (const [file, node] of nodes) {
        if (this.#graph.get(file)?.code !== node.code) this.#unwritten.add(file)
        this.#graph.set(file, node)
        this.#dirty.delete(file)
      }
      const imported = [...nodes.values()].flatMap((node) => node.imports)
      wave = [...new Set(imported)].filter((file) => !this.#graph.has(file) || this.#dirty.has(file))
      for (const file of wave) this.#dirty.add(file)
    }
  }

  #checkDefaults(roots: readonly string[]): void {
    const problems: Problem[] = roots
      .filter((file) => !this.#graph.get(file)?.hasDefault)
      .map((file) => ({ file, line: 1, column: 1, text: `no default export; ${defaultFix(file)}` }))
    if (problems.length > 0) throw new CompileError(problems)
  }
}

function defaultFix(file: string): string {
  const [, folder, name] = /^(?:src\/)?(command|button|event)s\/(?:.*\/)?([^/]+?)\.\w+$/.exec(file) ?? []
  if (folder === 'event') return `add \`export default event('${name}', (ctx) => …)\``
  if (folder) return `add \`export default ${folder}({ … })\``
  return file.includes('bot.config') ? 'add `export default defineConfig({ … })`' : 'add `export default …`'
}

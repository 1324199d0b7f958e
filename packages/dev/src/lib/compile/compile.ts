import { realpathSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, relative, resolve } from 'node:path'
import { compiledFrom, importersOf, reachableFrom, wholeCode, type ModuleNode } from './module-graph.ts'
import { entryOf } from '@botwright/framework/start'
import { codeIdOf } from './code-id.ts'
import { CompileError, type Problem } from './problem.ts'
import { EmittedModules, type ModuleCopy } from './emit.ts'
import { isWritten, readersOf, readsOf } from './files-read.ts'
import { isListed } from '../files/bot-files.ts'
import { packageName } from './package-import.ts'
import { unlessUnseen } from '../files/look.ts'
import { pathBelow, slashed } from '../files/path-below.ts'
import { settingsAround, type SettingsFiles } from '../files/settings-files.ts'
import { transpile } from './transpile.ts'
import { Resolutions } from './resolve.ts'
import { isModule } from './emitted-path.ts'
import type { Changes, WatchedPaths } from '../files/watch.ts'

/** The result of a compilation. */
export interface Compiled {
  /** The absolute path of each root's module. */
  modules: Record<string, string>
  /** Roots that are new, have changed, or import a changed file. */
  changed: string[]
  /** See `BotSource`. */
  codeId: string
}

/** The bot's files that matter now, and their changes since the last call. */
export interface CompileRequest {
  /** Files that are loaded by name: entries, and the configuration. Relative to the bot's folder. */
  roots: readonly string[]
  changes?: Partial<Changes>
}

/**
 * Compiles a bot file by file, each file into a module of its own, and only the files that a save affects.
 * Two modules never share a file, so a module imported by several commands is one instance.
 */
export class Compiler {
  readonly #root: string
  readonly #outDir: string
  readonly #emitted: EmittedModules
  readonly #graph = new Map<string, ModuleNode>()
  readonly #resolutions = new Resolutions()
  #declared: { assets: readonly string[]; configFile: string | undefined } = { assets: [], configFile: undefined }
  /** Read again when files are new. */
  #readSettings: SettingsFiles | undefined
  /** Files to compile. A file that fails stays here until it compiles, so that no save is lost behind it. */
  readonly #dirty = new Set<string>()
  /** Compiled, but not yet written. */
  readonly #unwritten = new Set<string>()

  /** `root`: the bot's folder; `outDir`: the folder of the modules, inside it, so that they find its packages. Both absolute. */
  constructor(options: { root: string; outDir: string }) {
    this.#root = options.root
    this.#outDir = options.outDir
    this.#emitted = new EmittedModules(options.outDir)
  }

  /** Rejects with a `CompileError` that names every location. */
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
      changed: roots.filter((file) => written.has(file)),
      codeId: codeIdOf(
        this.#root,
        [...reached].toSorted().flatMap((file) => [file, wholeCode(this.#graph.get(file)!)]),
      ),
    }
  }

  /** Another copy of all modules that the roots import. */
  copy(roots: readonly string[]): ModuleCopy {
    return this.#emitted.copy(reachableFrom(this.#graph, roots), this.#graph)
  }

  /** Texts and other files that the bot's modules import, besides modules. */
  get assets(): string[] {
    const compiled = [...this.#graph.keys()].filter((file) => !isModule(file))
    return [...new Set([...this.#graph.values()].flatMap(({ assets }) => assets).concat(compiled))]
  }

  /** What to watch besides the modules in the bot's folder. */
  get watched(): WatchedPaths {
    const { files, folders } = this.elsewhere
    const absolute = (file: string) => resolve(this.#root, file)
    const read = [...this.#graph.values()].flatMap((node) => readsOf(node, this.#graph))
    return {
      paths: [...files, ...this.assets.map(absolute), ...this.#resolutions.missing, ...this.#resolutions.linked.keys()],
      flat: folders,
      read: [...new Set([...read, ...this.#declared.assets])].map(absolute),
    }
  }

  /** Sets `assets` of the configuration: any module may read them, except those that `configFile` imports. */
  declare(assets: readonly string[], configFile: string | undefined): void {
    this.#declared = { assets, configFile }
  }

  /** The absolute paths of further files of the bot, imports and settings, and of folders in which a new file may change an import. */
  get elsewhere(): { files: string[]; folders: string[] } {
    const { packageFiles, folders } = this.#resolutions
    const sources = [...this.#graph.keys(), ...this.assets, ...this.#dirty].map((file) => resolve(this.#root, file))
    const isElsewhere = (path: string) => !isListed(this.#root, path)
    return {
      files: [...new Set([...sources, ...packageFiles, ...this.#settings.files])].filter(isElsewhere),
      folders: [...folders].filter(isElsewhere),
    }
  }

  /** The names of the packages that Node loads for the bot's modules. */
  get packages(): string[] {
    return [...this.#resolutions.known.values()].flatMap(({ path, external }) =>
      external && path !== undefined && !isBuiltin(path) && !/^[#./]|:/.test(path) ? [packageName(path)] : [],
    )
  }

  /** Settings of the bot that have no effect, each with the fix. */
  get warnings(): readonly string[] {
    return this.#settings.warnings
  }

  get #settings(): SettingsFiles {
    const files = [...this.#graph.keys(), ...this.#dirty]
    const folders = new Set([this.#root, ...files.map((file) => dirname(resolve(this.#root, file)))])
    return (this.#readSettings ??= settingsAround(folders, this.#root))
  }

  /** Marks the last compilation as the running one, so that older modules can be removed. */
  async served(): Promise<void> {
    await this.#emitted.serve(this.#graph.keys())
  }

  /** Compiles everything again: a file that affects all others, such as `tsconfig.json`, has changed. */
  forget(): void {
    this.#resolutions.clear()
    this.#readSettings = undefined
    for (const file of this.#graph.keys()) this.#dirty.add(file)
  }

  #mark({ saved = [], added = [], removed = [] }: Partial<Changes>): void {
    const changed = new Set([...saved, ...added, ...removed])
    for (const file of compiledFrom(this.#graph, changed)) this.#dirty.add(file)
    for (const file of [...this.#readersOf(changed), ...this.#usersOf(changed)]) this.#unwritten.add(file)
    // A new file may replace another in an import, and settings apply to all files.
    const mayMove = [...added, ...removed].some((file) => file !== '.env')
    if (mayMove || [...saved].some((file) => this.#isSettings(file) || this.#isMoved(file))) this.forget()
    for (const file of removed) {
      this.#graph.delete(file)
      this.#dirty.delete(file)
    }
  }

  /** The modules that import a linked package with one of these files. */
  #usersOf(changed: ReadonlySet<string>): string[] {
    const paths = [...changed].map((file) => resolve(this.#root, file))
    const hasChanged = (folder: string) => paths.some((path) => pathBelow(folder, path) !== undefined)
    return [...this.#resolutions.linked].flatMap(([folder, users]) =>
      hasChanged(folder) ? [...users].map((user) => slashed(relative(this.#root, user))) : [],
    )
  }

  /** The modules that may read one of these files. */
  #readersOf(changed: ReadonlySet<string>): string[] {
    const { assets, configFile } = this.#declared
    const absolute = (file: string) => resolve(this.#root, file)
    const isDeclared = (file: string) =>
      assets.some((asset) => pathBelow(absolute(asset), absolute(file)) !== undefined) && !isWritten(this.#graph, file)
    const readers = readersOf(this.#graph, changed)
    if (![...changed].some(isDeclared)) return readers
    const kept = reachableFrom(this.#graph, configFile === undefined ? [] : [configFile])
    return [...readers, ...[...this.#graph.keys()].filter((file) => !kept.has(file))]
  }

  /** Whether a link to a folder leads from this file to one that is not compiled: it may have led to another folder before. */
  #isMoved(file: string): boolean {
    if (this.#graph.has(file) || !isModule(file)) return false
    const real = unlessUnseen(() => slashed(relative(this.#root, realpathSync(resolve(this.#root, file)))))
    return real !== undefined && real !== file && !this.#graph.has(real)
  }

  #isSettings(file: string): boolean {
    return basename(file) === 'package.json' || this.#settings.files.has(resolve(this.#root, file))
  }

  async #compileDirty(roots: readonly string[]): Promise<void> {
    for (;;) {
      // A broken file that a changed one no longer imports does not matter, and a file that it imports again may have changed meanwhile.
      const reached = reachableFrom(this.#graph, roots, this.#dirty)
      const wave = [...reached].filter((file) => !this.#graph.has(file) || this.#dirty.has(file))
      if (wave.length === 0) return
      for (const file of wave) this.#dirty.add(file)
      const nodes = await transpile(wave, { root: this.#root, outDir: this.#outDir, resolutions: this.#resolutions })
      for (const [file, node] of nodes) {
        if (!this.#graph.has(file)) this.#readSettings = undefined
        const before = this.#graph.get(file)
        if (before === undefined || wholeCode(before) !== wholeCode(node)) this.#unwritten.add(file)
        this.#graph.set(file, node)
        this.#dirty.delete(file)
      }
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
  const { kind, name } = entryOf(file) ?? {}
  if (kind === 'event') return `add \`export default event('${name}', (ctx) => …)\``
  const [, folder] = /^(?:src\/)?(command|button)s\//.exec(file) ?? []
  if (folder) return `add \`export default ${folder}({ … })\``
  return file.includes('bot.config') ? 'add `export default defineConfig({ … })`' : 'add `export default …`'
}

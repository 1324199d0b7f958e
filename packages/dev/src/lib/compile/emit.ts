import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ModuleGraph, reachableFrom } from './module-graph.ts'
import { slashed } from '../files/path-below.ts'
import { decoded, emittedPath, inward, requiredJson, unversioned } from './emitted-path.ts'

const localImport = new RegExp(
  `(\\b\\w*require\\d*\\()?(["'\`])((?:\\.{1,2}/|file:)[^"'\`\\n]*)\\.${unversioned}(\\.[cm]js)\\2`,
  'g',
)

/** A separate copy of all modules, with module variables of its own. Each is written on demand. */
export interface ModuleCopy {
  /** The absolute path of a file's module. */
  readonly pathOf: (file: string) => string
  /** Writes the module of a file, and those that it imports. */
  readonly provide: (file: string) => void
  /** No code loads them now. */
  readonly remove: () => void
}

/**
 * The emitted modules. A file never changes after it was written: each change creates a new version, and so do its importers.
 * So the running worker, and one that replaces it after a crash, load the same code even while a newer
 * version, perhaps a broken one, is being loaded (architecture: the old one keeps running).
 */
export class EmittedModules {
  readonly #outDir: string
  readonly #versions = new Map<string, string>()
  #counter = 0
  #superseded = new Set<string>()
  #serving = new Set<string>()
  #servingBefore = new Set<string>()

  constructor(outDir: string) {
    this.#outDir = outDir
  }

  /** The absolute path of a file's newest module. */
  pathOf(file: string): string {
    return this.#pathIn(this.#versions, file)
  }

  /** Writes new versions of these files. */
  write(files: ReadonlySet<string>, graph: ModuleGraph): void {
    for (const file of files) {
      if (this.#versions.has(file)) this.#superseded.add(this.pathOf(file))
      this.#versions.set(file, this.#nextVersion())
    }
    for (const file of files) this.#writeOne(file, graph, this.#versions)
  }

  /** Writes another copy of these files' modules. */
  copy(files: ReadonlySet<string>, graph: ModuleGraph): ModuleCopy {
    const versions = new Map([...files].map((file) => [file, this.#nextVersion()]))
    const written = new Map<string, string>()
    return {
      pathOf: (file) => this.#pathIn(versions, file),
      provide: (file) => {
        if (written.has(file)) return
        for (const one of reachableFrom(graph, [file]))
          if (!written.has(one)) written.set(one, this.#writeOne(one, graph, versions))
      },
      remove: () => {
        for (const path of written.values()) for (const one of filesOf(path)) rmSync(one, { force: true })
      },
    }
  }

  /** Marks the newest modules as running. Removes modules that neither they nor the previous bot, which may still be finishing, can load. */
  async serve(files: Iterable<string>): Promise<void> {
    this.#servingBefore = this.#serving
    this.#serving = new Set([...files].map((file) => this.pathOf(file)))
    const dead = [...this.#superseded].filter((path) => !this.#serving.has(path) && !this.#servingBefore.has(path))
    for (const path of dead) this.#superseded.delete(path)
    await Promise.all(dead.flatMap(filesOf).map((path) => rm(path, { force: true })))
  }

  #nextVersion(): string {
    return (this.#counter++).toString(36).padStart(unversioned.length, '0')
  }

  #pathIn(versions: ReadonlyMap<string, string>, file: string): string {
    return join(this.#outDir, emittedPath(file, versions.get(file) ?? unversioned))
  }

  #writeOne(file: string, graph: ModuleGraph, versions: ReadonlyMap<string, string>): string {
    const path = this.#pathIn(versions, file)
    const { code, required } = graph.get(file)!
    if (required !== undefined) writeModule(requiredJson(path), this.#withVersions(required, file, versions))
    writeModule(path, this.#withVersions(code, file, versions))
    return path
  }

  /** Code whose imports name the versions of the modules. */
  #withVersions(code: string, file: string, versions: ReadonlyMap<string, string>): string {
    const folder = dirname(emittedPath(file, unversioned))
    return code.replace(localImport, (_all, ...groups: string[]) => {
      const [call = '', quote = '', specifier = '', extension = ''] = groups
      // An import, or the URL of a module that runs by itself.
      const path = specifier.startsWith('file:')
        ? relative(this.#outDir, fileURLToPath(specifier))
        : join(folder, decoded(specifier))
      const end = `.${versions.get(inward(slashed(path))) ?? unversioned}${extension}`
      // `require` takes a path.
      return call === '' ? quote + specifier + end + quote : call + JSON.stringify(decoded(specifier) + end)
    })
  }
}

/** The files of a module. */
const filesOf = (path: string): string[] => (/\.json\.\w+\.mjs$/.test(path) ? [path, requiredJson(path)] : [path])

function writeModule(path: string, text: string): void {
  try {
    // No code receives this path before the file is complete.
    writeFileSync(path, text)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ModuleNode } from './module-graph.ts'
import { slashed } from './problem.ts'
import { emittedPath, unversioned } from './resolve.ts'

const localImport = new RegExp(`(["'])(\\.{1,2}/[^"'\\n]*)\\.${unversioned}\\.mjs\\1`, 'g')

/**
 * The emitted modules. A file never changes once it is written: each change gets a new version, and so do its importers.
 * So the worker that serves, and one that replaces it after a crash, load what they were given even while a newer
 * version, perhaps a broken one, is on its way (architecture: the old one keeps serving).
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

  /** Absolute path of a file's newest module. */
  pathOf(file: string): string {
    return join(this.#outDir, emittedPath(file, this.#versions.get(file) ?? unversioned))
  }

  /** Writes new versions of these files. */
  write(files: ReadonlySet<string>, graph: ReadonlyMap<string, ModuleNode>): void {
    for (const file of files) {
      if (this.#versions.has(file)) this.#superseded.add(this.pathOf(file))
      this.#versions.set(file, (this.#counter++).toString(36).padStart(unversioned.length, '0'))
    }
    for (const file of files) this.#writeOne(file, graph.get(file)!.code)
  }

  /** The newest modules serve now. Removes what neither they nor the bot before them, which may still end its work, can load. */
  async serve(files: Iterable<string>): Promise<void> {
    this.#servingBefore = this.#serving
    this.#serving = new Set([...files].map((file) => this.pathOf(file)))
    const dead = [...this.#superseded].filter((path) => !this.#serving.has(path) && !this.#servingBefore.has(path))
    for (const path of dead) this.#superseded.delete(path)
    await Promise.all(dead.map((path) => rm(path, { force: true })))
  }

  /** Nobody loads these any more. */
  remove(paths: Iterable<string>): void {
    for (const path of paths) {
      this.#superseded.delete(path)
      rmSync(path, { force: true })
    }
  }

  #writeOne(file: string, code: string): void {
    const path = this.pathOf(file)
    const folder = dirname(emittedPath(file, unversioned))
    const text = code.replace(localImport, (_all, quote: string, specifier: string) => {
      const imported = slashed(join(folder, specifier)).replaceAll('_up/', '../')
      return `${quote}${specifier}.${this.#versions.get(imported) ?? unversioned}.mjs${quote}`
    })
    try {
      // Nobody is told of this path before it is whole.
      writeFileSync(path, text)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
  }
}

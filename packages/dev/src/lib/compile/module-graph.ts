/** The files and folders that a module uses at paths beside it, relative to the bot's folder; folders end with `/`. */
export interface FilesUsed {
  reads: readonly string[]
  writes: readonly string[]
  /** Those that it passes to other functions, such as the one that opens a database. */
  passes: readonly string[]
  /** Those whose name it passes, so that the function may also write what the module reads. */
  hands: readonly string[]
  /** Those that constants with these names export. */
  exports: readonly { name: string; path: string }[]
}

/** One file of a bot, as it was last compiled. */
export interface ModuleNode {
  /** Local modules that it imports, or runs as a thread or a process, relative to the bot's folder. */
  imports: readonly string[]
  /** Files that were bundled into it: JSON and texts. */
  assets: readonly string[]
  used: FilesUsed
  /** JavaScript whose local imports still contain `unversioned` in place of a version. */
  code: string
  /** Of JSON: what `require` loads. */
  required?: string
  hasDefault: boolean
}

/** All code of a module: two with the same code are the same. */
export const wholeCode = ({ code, required = '' }: ModuleNode): string => code + required

export type ModuleGraph = ReadonlyMap<string, ModuleNode>

/** The given files, and every file that imports one of them, directly or indirectly. */
export function importersOf(graph: ModuleGraph, files: Iterable<string>): Set<string> {
  const importers = new Map<string, string[]>()
  for (const [file, node] of graph) {
    for (const imported of node.imports) {
      const known = importers.get(imported)
      if (known) known.push(file)
      else importers.set(imported, [file])
    }
  }
  return closure(files, (file) => importers.get(file) ?? [])
}

/** The given files, and every file that they import, directly or indirectly. The imports of files in `unknown` do not count. */
export function reachableFrom(
  graph: ModuleGraph,
  files: Iterable<string>,
  unknown: ReadonlySet<string> = new Set(),
): Set<string> {
  return closure(files, (file) => (unknown.has(file) ? [] : (graph.get(file)?.imports ?? [])))
}

/** The modules to compile again after changes in these files: themselves, and those that they were bundled into. */
export function compiledFrom(graph: ModuleGraph, files: ReadonlySet<string>): Set<string> {
  const found = new Set<string>()
  for (const [file, node] of graph) {
    if (files.has(file) || node.assets.some((asset) => files.has(asset))) found.add(file)
  }
  return found
}

function closure(start: Iterable<string>, next: (file: string) => readonly string[]): Set<string> {
  const found = new Set(start)
  for (const file of found) for (const other of next(file)) found.add(other)
  return found
}

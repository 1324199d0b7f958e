// The files that a bot's modules read at paths beside themselves: a change of one reloads the modules, as a change of an import does.

import { statSync } from 'node:fs'
import { type FilesUsed, importersOf, type ModuleGraph, type ModuleNode } from './module-graph.ts'
import { pathBelow } from '../files/path-below.ts'
import type { PathBeside } from './paths-beside.ts'

const reading: ReadonlySet<PathBeside['use']> = new Set(['read', 'listed', 'required'])

/** The files and folders that a module uses at these paths. */
export function filesUsed(paths: readonly PathBeside[], root: string): FilesUsed {
  const used = (isUsed: (use: PathBeside['use']) => boolean) =>
    paths.flatMap((one) => {
      const below = pathBelow(root, one.path)
      if (!isUsed(one.use) || below === undefined) return []
      const isFolder = one.isPart || statSync(one.path, { throwIfNoEntry: false })?.isDirectory() === true
      return [isFolder ? `${below}/` : below]
    })
  return {
    reads: used((use) => reading.has(use)),
    writes: used((use) => use === 'written'),
    passes: used((use) => use === 'other'),
    hands: used((use) => use === 'passed'),
    exports: paths.flatMap(({ exported, path }) => {
      const below = pathBelow(root, path)
      return exported === undefined || below === undefined ? [] : [{ name: exported, path: below }]
    }),
  }
}

/** Whether a path is this file, or in this folder. */
const isIn = (path: string, used: string): boolean => path === used || (used.endsWith('/') && path.startsWith(used))

/** Calls of functions that write files. */
const writing = /\b(?:write|append|output|save|createWriteStream|rename|truncate|copyFile|cp|open)\w{0,30}\(/

/** The exported paths that an importer may write: its code has the name, and writes files. */
function writtenElsewhere(graph: ModuleGraph): string[] {
  return [...graph].flatMap(([file, { used }]) => {
    if (used.exports.length === 0) return []
    const importers = [...importersOf(graph, [file])].filter((one) => one !== file)
    const codes = importers.map((one) => graph.get(one)?.code ?? '').filter((code) => writing.test(code))
    const words = new Set(codes.flatMap((code) => code.match(/[\w$]+/g) ?? []))
    return used.exports.flatMap(({ name, path }) => (words.has(name) ? [path] : []))
  })
}

/**
 * The files and folders that a module reads. Without those that the bot writes, because each write would reload it, and without folders that
 * contain code, or a file that other functions may write, such as a database.
 */
export function readsOf(node: ModuleNode, graph: ModuleGraph): string[] {
  if (node.used.reads.length === 0) return []
  const all = [...graph.values()].map(({ used }) => used)
  const allRead = new Set(all.flatMap(({ reads }) => reads))
  const allWritten = [...all.flatMap(({ writes, hands }) => [...writes, ...hands]), ...writtenElsewhere(graph)]
  return node.used.reads.filter(
    (read) =>
      !allWritten.some((written) => isIn(written, read) || isIn(read, written)) &&
      !all.some(({ passes }) => passes.some((passed) => isIn(passed, read) && !allRead.has(passed))) &&
      !(read.endsWith('/') && (read === '/' || [...graph.keys()].some((file) => file.startsWith(read)))),
  )
}

/** Whether the bot writes a file. */
export const isWritten = (graph: ModuleGraph, file: string): boolean =>
  [...graph.values()].some(({ used }) => used.writes.some((written) => isIn(file, written)))

/** The modules that read one of these files. */
export function readersOf(graph: ModuleGraph, files: Iterable<string>): string[] {
  const changed = [...files]
  return [...graph].flatMap(([module, node]) =>
    readsOf(node, graph).some((read) => changed.some((file) => isIn(file, read))) ? [module] : [],
  )
}

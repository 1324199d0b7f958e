import { dirname, join } from 'node:path/posix'
import { readImports } from './imports.ts'
import { isTemplate, readPackages } from './packages.ts'
import { isCode, readText, sourceFiles } from './source-files.ts'
import type { Violation } from './violation.ts'

type Graph = Map<string, { to: string; line: number }[]>

/** Reports import cycles, within a package or across packages. */
export async function checkCycles(root: string): Promise<Violation[]> {
  const graph = await importGraph(root)
  return findCycles(graph).map((cycle) => {
    const [first = '', second] = cycle
    const line = graph.get(first)?.find(({ to }) => to === (second ?? first))?.line
    return {
      file: first,
      ...(line === undefined ? {} : { line }),
      fact: `import cycle: ${[...cycle, first].join(' → ')}`,
      fix: 'move the shared part to a third file',
    }
  })
}

async function importGraph(root: string): Promise<Graph> {
  const files = (await sourceFiles(root)).filter((path) => isCode(path) && !isTemplate(path))
  const known = new Set(files)
  const entries = new Map<string, string>()
  for (const { folder, file } of await readPackages(root)) {
    if (file.name !== undefined) entries.set(file.name, `${folder}/src/index.ts`)
  }
  const graph: Graph = new Map()
  for (const file of files) {
    const edges = readImports(await readText(root, file)).flatMap(({ specifier, line }) => {
      const target = specifier.startsWith('.') ? join(dirname(file), specifier) : entries.get(specifier)
      return target !== undefined && known.has(target) ? [{ to: target, line }] : []
    })
    graph.set(file, edges)
  }
  return graph
}

/** One cycle for each group of files that import each other: the shortest path from its first file back to it. */
function findCycles(graph: Graph): string[][] {
  const inCycle = new Set<string>()
  const cycles: string[][] = []
  for (const file of graph.keys()) {
    if (inCycle.has(file)) continue
    const cycle = shortestWayBack(graph, file)
    if (!cycle) continue
    cycles.push(cycle)
    for (const member of cycle) inCycle.add(member)
  }
  return cycles
}

function shortestWayBack(graph: Graph, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const queue = [start]
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    for (const { to } of graph.get(file) ?? []) {
      if (to === start) return wayTo(cameFrom, start, file)
      if (cameFrom.has(to)) continue
      cameFrom.set(to, file)
      queue.push(to)
    }
  }
  return undefined
}

function wayTo(cameFrom: Map<string, string>, start: string, end: string): string[] {
  const way = [end]
  for (let file = end; file !== start;) {
    file = cameFrom.get(file) ?? start
    way.unshift(file)
  }
  return way
}

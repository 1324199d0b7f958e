import type { Violation } from '../checks/violation.ts'
import { checkFolders } from './crowded-folders.ts'
import { type Edge, type ImportGraph, longestChain, readImportGraph } from './import-graph.ts'

/** The rules of one package. */
interface Rules {
  /** The folders below `src`, lowest floor first. Folders on one floor do not import each other. Files directly in `src` are above all floors. */
  floors?: readonly (readonly string[])[]
  /** Where a floor may load a program of another one, as `from → to`. */
  starts?: readonly string[]
  /** How many files the longest chain of imports that load at once may have; with `import()`. Lower these when they can be lower. */
  depth: { atOnce: number; withDynamic: number }
}

/** The packages with more than one folder of sources. */
const PACKAGES: Readonly<Record<string, Rules>> = {
  framework: {
    floors: [['author'], ['link'], ['bot', 'runtime'], ['program'], ['features'], ['cli']],
    starts: [
      // The two tables of features: what the runtime opens, and what is around the bot's code.
      'runtime/start/stages.ts → features/runtime-features.ts',
      'bot/load/open-layers.ts → features/bot-features.ts',
      'runtime/threads/dispatcher-inline.ts → bot/bot-side.ts',
      'bot/worker-main.ts → index.ts',
    ],
    depth: { atOnce: 14, withDynamic: 21 },
  },
  service: { depth: { atOnce: 14, withDynamic: 14 } },
  dev: { depth: { atOnce: 7, withDynamic: 10 } },
  cluster: { depth: { atOnce: 8, withDynamic: 8 } },
}

/** Reports imports that go to a higher floor, cycles between folders, chains of imports that are too long, and folders with too many files. */
export async function checkStructure(root: string): Promise<Violation[]> {
  const all = Object.entries(PACKAGES).map(async ([name, rules]) => {
    const graph = await readImportGraph(root, name)
    return violationsOf(graph, rules).map(({ file, ...rest }) => ({ file: `packages/${name}/src/${file}`, ...rest }))
  })
  return [...(await Promise.all(all)).flat(), ...(await checkFolders(root))]
}

/** The violations of one package, with paths relative to its `src`. */
export function violationsOf(graph: ImportGraph, rules: Rules): Violation[] {
  return [...upward(graph, rules), ...folderCycles(graph), ...tooDeep(graph, rules)]
}

function upward(graph: ImportGraph, { floors, starts = [] }: Rules): Violation[] {
  if (!floors) return []
  const unused = new Set(starts)
  const floorOf = (file: string): number => {
    if (!file.includes('/')) return floors.length
    return floors.findIndex((folders) => folders.includes(file.slice(0, file.indexOf('/'))))
  }
  const found = edgesOf(graph).flatMap(({ from, to, line }): Violation[] => {
    if (floorOf(from) === -1)
      return [{ file: from, fact: 'is in a folder without a floor', fix: 'add the folder to check-structure.ts' }]
    if (folderOf(from) === folderOf(to) || floorOf(to) < floorOf(from) || floorOf(from) === floors.length) return []
    if (starts.includes(`${from} → ${to}`)) {
      unused.delete(`${from} → ${to}`)
      return []
    }
    return [
      { file: from, line, fact: `imports ${to}, which is not on a lower floor`, fix: 'move the shared part down' },
    ]
  })
  const stale = [...unused].map((start) => ({
    file: start.slice(0, start.indexOf(' ')),
    fact: `no longer imports what "${start}" allows`,
    fix: 'remove the entry in check-structure.ts',
  }))
  return [...found, ...stale]
}

/** The folder directly below `src`, or a file that is there itself. */
const folderOf = (file: string): string => file.split('/', 1)[0]!

/** The unit of the rule about cycles: a folder two levels below `src`, or a file above that level. */
const unitOf = (file: string): string => file.split('/', 2).join('/')

/** A folder and its neighbours must not depend on each other in a circle, even if their files do not. */
function folderCycles(graph: ImportGraph): Violation[] {
  const edges = edgesOf(graph).filter(({ from, to }) => unitOf(from) !== unitOf(to))
  const next = new Map<string, Set<string>>()
  for (const { from, to } of edges) next.set(unitOf(from), (next.get(unitOf(from)) ?? new Set()).add(unitOf(to)))
  const reached = new Map<string, Set<string>>()
  const reachedFrom = (unit: string): Set<string> => {
    const known = reached.get(unit)
    if (known) return known
    const all = new Set<string>()
    const queue = [...(next.get(unit) ?? [])]
    for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
      if (all.has(one)) continue
      all.add(one)
      queue.push(...(next.get(one) ?? []))
    }
    reached.set(unit, all)
    return all
  }
  return edges
    .filter(({ from, to }) => reachedFrom(unitOf(to)).has(unitOf(from)))
    .map(({ from, to, line }) => ({
      file: from,
      line,
      fact: `imports ${to}, but ${unitOf(to)} depends on ${unitOf(from)}`,
      fix: 'move the shared part to a third folder or file',
    }))
}

function tooDeep(graph: ImportGraph, { depth }: Rules): Violation[] {
  const chains = [
    { chain: longestChain(graph, ['value']), most: depth.atOnce, name: 'imports' },
    { chain: longestChain(graph, ['value', 'dynamic']), most: depth.withDynamic, name: 'imports, with import()' },
  ]
  return chains.flatMap(({ chain, most, name }) => {
    if (chain.length === most) return []
    const [file = ''] = chain
    if (chain.length < most)
      return [
        {
          file,
          fact: `the longest chain of ${name} has ${chain.length} files, not ${most}`,
          fix: 'lower the limit in check-structure.ts',
        },
      ]
    return [
      {
        file,
        fact: `${chain.length} files import each other in a chain of ${name}; the limit is ${most}: ${chain.join(' → ')}`,
        fix: 'shorten it',
      },
    ]
  })
}

const edgesOf = (graph: ImportGraph): (Edge & { from: string })[] =>
  [...graph].flatMap(([from, edges]) => edges.map((edge) => ({ from, ...edge })))

import { dirname, join } from 'node:path/posix'
import ts from 'typescript'
import { isCode, isTestOrBuildFile, readText, sourceFiles } from '../source-files.ts'

/** `type`: gone after compiling. `dynamic`: an `import()`, loaded when it runs. */
export type ImportKind = 'value' | 'type' | 'dynamic'

/** One import of a file of the same package. */
export interface Edge {
  to: string
  kind: ImportKind
  line: number
}

/** The files below a package's `src`, without tests and fixtures, each with its imports of other such files. Paths are relative to `src`. */
export type ImportGraph = ReadonlyMap<string, readonly Edge[]>

/** Reads the imports between the sources of a package. */
export async function readImportGraph(root: string, packageName: string): Promise<ImportGraph> {
  const src = `packages/${packageName}/src/`
  const files = (await sourceFiles(root)).filter(
    (path) => path.startsWith(src) && isCode(path) && !isTestOrBuildFile(path) && !path.includes('fixture'),
  )
  const known = new Set(files.map((path) => path.slice(src.length)))
  const graph = new Map<string, Edge[]>()
  for (const path of files) {
    const file = path.slice(src.length)
    const edges = importsOf(file, await readText(root, path)).map((found) => ({
      ...found,
      to: join(dirname(file), found.to),
    }))
    graph.set(
      file,
      edges.filter(({ to }) => known.has(to)),
    )
  }
  return graph
}

/** The relative imports of a program. */
function importsOf(file: string, text: string): Edge[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext)
  const edges: Edge[] = []
  const add = (node: ts.Node, specifier: ts.Node | undefined, kind: ImportKind) => {
    if (!specifier || !ts.isStringLiteral(specifier) || !specifier.text.startsWith('.')) return
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
    edges.push({ to: specifier.text, kind, line: line + 1 })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node, node.moduleSpecifier, isTypeImport(node) ? 'type' : 'value')
    else if (ts.isExportDeclaration(node)) add(node, node.moduleSpecifier, isTypeExport(node) ? 'type' : 'value')
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node, node.argument.literal, 'type')
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node, node.arguments[0], 'dynamic')
    ts.forEachChild(node, visit)
  }
  visit(source)
  return edges
}

function isTypeImport({ importClause }: ts.ImportDeclaration): boolean {
  if (!importClause) return false
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const { name, namedBindings } = importClause
  return !name && namedBindings !== undefined && ts.isNamedImports(namedBindings) && allTypes(namedBindings.elements)
}

const isTypeExport = ({ isTypeOnly, exportClause }: ts.ExportDeclaration): boolean =>
  isTypeOnly || (exportClause !== undefined && ts.isNamedExports(exportClause) && allTypes(exportClause.elements))

const allTypes = (elements: readonly { isTypeOnly: boolean }[]): boolean =>
  elements.length > 0 && elements.every(({ isTypeOnly }) => isTypeOnly)

/** The longest chain of files in which each imports the next one. The graph must not have cycles. */
export function longestChain(graph: ImportGraph, kinds: readonly ImportKind[]): string[] {
  const chains = new Map<string, string[]>()
  const chainFrom = (file: string): string[] => {
    const known = chains.get(file)
    if (known) return known
    const further = (graph.get(file) ?? []).filter(({ kind }) => kinds.includes(kind)).map(({ to }) => chainFrom(to))
    const longest = further.reduce<string[]>((best, one) => (one.length > best.length ? one : best), [])
    const chain = [file, ...longest]
    chains.set(file, chain)
    return chain
  }
  return [...graph.keys()].map(chainFrom).reduce((best, one) => (one.length > best.length ? one : best), [])
}

import { createHash } from 'node:crypto'
import { join, relative, sep } from 'node:path'
import ts from 'typescript'
import type { Released } from '../publishing/released.ts'
import { inOrder } from './in-order.ts'
import { nearNames } from './near-names.ts'

/** The file in a package's folder that shows changes of the public API in review. */
export const API_FILE = 'api.md'

/** Types that the compiler derives from a table are too long to read, so the report shows their digest. */
const LONGEST_SHOWN = 4000

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ESNext,
  // Only names and texts are read, without type checks, so the standard library is not needed.
  noLib: true,
  types: [],
  noEmit: true,
  skipLibCheck: true,
}

/** The API reports of all packages, from their built declarations: folders with the texts of their reports. */
export function apiReports(root: string, packages: readonly Released[]): Map<string, string> {
  const entries = packages.map((one) => ({ ...one, files: entriesOf(root, one) }))
  const program = ts.createProgram(
    entries.flatMap(({ files }) => [...files.values()]),
    options,
  )
  return new Map(entries.map((one) => [one.folder, report(program, root, one)]))
}

/**
 * The declarations behind each entry of `exports`: `.` → `<root>/packages/rest/dist/index.d.ts`. If the build bundles them with those of
 * other packages, the compiler's output is used.
 */
function entriesOf(root: string, { folder, file }: Released): Map<string, string> {
  const found = new Map<string, string>()
  for (const [entry, target] of Object.entries(file.exports ?? {})) {
    const types = typeof target === 'object' && target !== null && 'types' in target ? target.types : undefined
    if (typeof types === 'string') found.set(entry, join(root, folder, types.replace('/joined/', '/')))
  }
  return found
}

interface Entries {
  name: string
  folder: string
  files: Map<string, string>
}

function report(program: ts.Program, root: string, { name, folder, files }: Entries): string {
  const own = join(root, folder) + sep
  const sections = [...files].map(([entry, file]) => {
    const source = program.getSourceFile(file)
    if (!source) throw new Error(`${relative(root, file)} is missing: run npm run build`)
    return `## ${name}${entry.slice(1)}\n\n${block(exportsOf(program, source, own))}`
  })
  return [
    `# API of ${name}`,
    'The public API, from the built declarations. `npm run api` regenerates this file. Each change affects users: add a file to `.changes/`.',
    ...sections,
  ]
    .join('\n\n')
    .concat('\n')
}

const block = (lines: readonly string[]): string => ['```ts', ...lines, '```'].join('\n')

/** The public names of one entry in alphabetical order, then the package's own names that these use. */
function exportsOf(program: ts.Program, source: ts.SourceFile, own: string): string[] {
  const checker = program.getTypeChecker()
  const module = checker.getSymbolAtLocation(source)
  if (!module) return ['// exports nothing']
  const resolved = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const isOwn = (symbol: ts.Symbol) =>
    symbol.declarations?.some((node) => node.getSourceFile().fileName.startsWith(own.split(sep).join('/'))) === true

  const shown = new Set<ts.Symbol>()
  const lines: string[] = []
  const show = (name: string, symbol: ts.Symbol) => {
    shown.add(symbol)
    lines.push(...(isOwn(symbol) ? textOf(name, symbol) : [`export { ${name} } // of ${placeOf(symbol)}`]))
  }
  const named = checker.getExportsOfModule(module).sort((a, b) => compare(a.name, b.name))
  for (const symbol of named) show(symbol.name, resolved(symbol))

  // Each round walks the shown declarations, which may use further names.
  const usedNames = nearNames(checker, [...shown].filter(isOwn), (symbol) => isOwn(symbol) && !shown.has(symbol))
  if (usedNames.length > 0) lines.push('', '// not exported, but used by exports')
  for (const symbol of usedNames.sort((a, b) => compare(a.name, b.name) || compare(placeOf(a), placeOf(b))))
    lines.push(...textOf(symbol.name, symbol))
  return lines
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed })

function textOf(name: string, symbol: ts.Symbol): string[] {
  return (symbol.declarations ?? []).map((node) => {
    // A variable's declaration has no `const`; its statement does.
    const whole = ts.isVariableDeclaration(node) ? node.parent.parent : node
    const print = (part: ts.Node) => printer.printNode(ts.EmitHint.Unspecified, part, node.getSourceFile())
    const text = print(inOrder(whole, print)).replace(/^export default /, '')
    const plain = text.replace(/^(?:export )?(?:declare )?/, '')
    const own = (symbol.name === name ? '' : `// as ${name}\n`) + plain
    return own.length <= LONGEST_SHOWN ? own : `${own.slice(0, own.indexOf('\n') + 1 || 80)}// … ${digest(own)}`
  })
}

const digest = (text: string): string =>
  `${text.length} characters, ${createHash('sha256').update(text).digest('hex').slice(0, 12)}`

function placeOf(symbol: ts.Symbol): string {
  const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? ''
  const [, library] = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(file) ?? []
  const [, house] = /\/packages\/([^/]+)\/dist\//.exec(file) ?? []
  return library ?? (house === undefined ? 'the compiler' : `@botwright/${house}`)
}

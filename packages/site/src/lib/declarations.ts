import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'

/** One public name of a package, read from its declarations. */
export interface PublicName {
  name: string
  kind: 'function' | 'class' | 'type' | 'value'
  doc: string
  /** Its declaration without bodies and docstrings, with every overload. */
  code: string
  members: { name: string; code: string; doc: string }[]
}

/** One entry of `exports`, imported as `module`. */
export interface Module {
  module: string
  /** The path of its source from the root. */
  source: string
  names: PublicName[]
}

interface Manifest {
  name: string
  exports: Record<string, { types?: string } | string>
}

/** Reads the declarations of these packages, as the compiler wrote them; the packages must be built. */
export async function readDeclarations(root: string, folders: readonly string[]): Promise<Module[]> {
  const entries = (
    await Promise.all(
      folders.map(async (folder) => {
        const { name, exports } = JSON.parse(
          await readFile(join(root, 'packages', folder, 'package.json'), 'utf8'),
        ) as Manifest
        return Object.entries(exports).flatMap(([key, places]) =>
          typeof places === 'string' || places.types === undefined
            ? []
            : // The compiler's own, not those that the build puts beside joined files.
              [
                {
                  module: name + key.slice(1),
                  folder: `packages/${folder}`,
                  types: places.types.replace('/joined/', '/'),
                },
              ],
        )
      }),
    )
  ).flat()
  const fileOf = ({ folder, types }: (typeof entries)[number]) => join(root, folder, types)
  const program = ownProgram(entries.map(fileOf))
  const checker = program.getTypeChecker()
  return entries.map((entry) => {
    const file = program.getSourceFile(fileOf(entry))
    const symbol = file && checker.getSymbolAtLocation(file)
    if (!symbol) throw new Error(`${entry.folder}/${entry.types} has no declarations: run "npm run build"`)
    const names = checker.getExportsOfModule(symbol).map((each) => publicName(checker, each))
    const source = join(entry.folder, entry.types.replace(/^\.\/dist\/(.+)\.d\.ts$/, 'src/$1.ts'))
    return { module: entry.module, source, names: names.sort(valuesFirst) }
  })
}

/**
 * Only the declarations of these packages. Names, docstrings and texts require neither types of other packages nor those of the language, and reading
 * those would take five times as long.
 */
function ownProgram(files: string[]): ts.Program {
  const { NodeNext: module } = ts.ModuleKind
  const { NodeNext: moduleResolution } = ts.ModuleResolutionKind
  const options: ts.CompilerOptions = { module, moduleResolution, noLib: true, noEmit: true, types: [] }
  const host = ts.createCompilerHost(options)
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) =>
      /^(?:\.|@botwright\/)/.test(text)
        ? ts.resolveModuleName(text, from, options, host)
        : { resolvedModule: undefined },
    )
  return ts.createProgram({ rootNames: files, options, host })
}

/** Functions come before types. */
const valuesFirst = (a: PublicName, b: PublicName) =>
  Number(a.kind === 'type') - Number(b.kind === 'type') || (a.name < b.name ? -1 : 1)

const docOf = (symbol: ts.Symbol, checker: ts.TypeChecker) =>
  ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim()

function publicName(checker: ts.TypeChecker, exported: ts.Symbol): PublicName {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  const declarations = symbol.declarations ?? []
  const code = declarations.map((each) => textOf(statementOf(each))).filter((text, at, all) => all.indexOf(text) === at)
  const flags = symbol.flags
  const kind =
    flags & ts.SymbolFlags.Function
      ? 'function'
      : flags & ts.SymbolFlags.Class
        ? 'class'
        : flags & ts.SymbolFlags.Variable
          ? 'value'
          : 'type'
  const doc = docOf(symbol, checker) || docOf(exported, checker)
  return {
    name: exported.name,
    kind,
    doc,
    code: shortened(code.join('\n\n')),
    members: declarations.flatMap((each) => membersOf(checker, each)),
  }
}

/** `declare const x: …` is a declaration inside a statement. */
const statementOf = (node: ts.Declaration): ts.Node => (ts.isVariableDeclaration(node) ? node.parent.parent : node)

/** The inferred type of a schema can be thousands of lines, which are useless on a page. */
const MOST_LINES = 24

function shortened(code: string): string {
  const lines = code.split('\n')
  return lines.length <= MOST_LINES ? code : [...lines.slice(0, MOST_LINES), '// …'].join('\n')
}

/** A declaration as it is written, without its docstrings. */
function textOf(node: ts.Node): string {
  const text = node.getText()
  return text
    .replaceAll(/\/\*\*[^]*?\*\/\s*/g, '')
    .replace(/^export (?:default )?/, '')
    .replace(/^declare /, '')
    .replaceAll(/^( {4})+/gm, (indent) => indent.replaceAll('    ', '  '))
    .replaceAll(/^\s*#private;\n/gm, '')
}

/** The fields and methods with a docstring. */
function membersOf(checker: ts.TypeChecker, node: ts.Declaration): PublicName['members'] {
  const list = ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) ? node.members : literalMembers(node)
  return [...list].flatMap((member) => {
    if (!member.name || !ts.isIdentifier(member.name)) return []
    const symbol = checker.getSymbolAtLocation(member.name)
    const doc = symbol ? docOf(symbol, checker) : ''
    return doc === '' ? [] : [{ name: member.name.text, code: textOf(member).replace(/;$/, ''), doc }]
  })
}

const literalMembers = (node: ts.Declaration): Iterable<ts.TypeElement | ts.ClassElement> =>
  ts.isTypeAliasDeclaration(node) && ts.isTypeLiteralNode(node.type) ? node.type.members : []

import ts from 'typescript'

/**
 * The names that declarations use, directly or through other names, if `wanted` accepts them: `function x(options: Options)` uses
 * `Options`. In order of occurrence.
 */
export function nearNames(
  checker: ts.TypeChecker,
  from: readonly ts.Symbol[],
  wanted: (symbol: ts.Symbol) => boolean,
): ts.Symbol[] {
  const found = new Set<ts.Symbol>()
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) add(checker.getSymbolAtLocation(node))
    ts.forEachChild(node, visit)
  }
  const add = (symbol: ts.Symbol | undefined): void => {
    if (!symbol) return
    const meant = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    // Members, parameters and type parameters are printed with their parent.
    if (!isTopLevel(meant) || found.has(meant) || !wanted(meant)) return
    found.add(meant)
    meant.declarations?.forEach(visit)
  }
  for (const symbol of from) symbol.declarations?.forEach(visit)
  return [...found]
}

const isTopLevel = (symbol: ts.Symbol): boolean =>
  symbol.declarations?.some((node) => {
    const around = ts.isVariableDeclaration(node) ? node.parent.parent.parent : node.parent
    return around !== undefined && (ts.isSourceFile(around) || ts.isModuleBlock(around))
  }) === true

import ts from 'typescript'

/**
 * A declaration with its unions and its objects' fields in alphabetical order, and texts in single quotes. One compiler's order depends
 * on the other files that it compiled, and another keeps the source's quotes.
 */
export function inOrder<T extends ts.Node>(node: T, textOf: (part: ts.Node) => string): T {
  const byText = <P extends ts.Node>(parts: readonly P[]): P[] =>
    parts
      .map((part) => ({ part, text: textOf(part) }))
      .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
      .map(({ part }) => part)
  const sorted: ts.TransformerFactory<ts.Node> = (context) => {
    const visit = (part: ts.Node): ts.Node => {
      if (ts.isStringLiteral(part)) return quoted(part.text)
      const inner = ts.visitEachChild(part, visit, context)
      if (ts.isUnionTypeNode(inner))
        return ts.factory.updateUnionTypeNode(inner, ts.factory.createNodeArray(byText(inner.types)))
      if (ts.isTypeLiteralNode(inner) && inner.members.every(ts.isPropertySignature))
        return ts.factory.updateTypeLiteralNode(inner, ts.factory.createNodeArray(byText(inner.members)))
      return inner
    }
    return visit
  }
  const { transformed } = ts.transform<ts.Node>(node, [sorted])
  return transformed[0] as T
}

function quoted(text: string): ts.Node {
  return ts.setEmitFlags(ts.factory.createStringLiteral(text, true), ts.EmitFlags.NoAsciiEscaping)
}

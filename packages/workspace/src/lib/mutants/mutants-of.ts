import ts from 'typescript'

/** One small change of a source file, which a test should notice. */
export interface Mutant {
  file: string
  line: number
  /** The range of the text that `replacement` replaces. */
  start: number
  end: number
  original: string
  replacement: string
}

type Add = (node: ts.Node | { start: number; end: number }, replacement: string) => void

/**
 * Every mutant of a source file, in order. Excluded are types, imports, regular expressions, names of properties, and texts: strings and
 * templates that contain a space are written for people (log lines, error messages, descriptions) or are SQL, which fails at once.
 */
export function mutantsOf(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true)
  const found = new Map<string, Mutant>()
  const add: Add = (range, replacement) => {
    const [start, end] = 'kind' in range ? [range.getStart(source), range.getEnd()] : [range.start, range.end]
    const line = source.getLineAndCharacterOfPosition(start).line + 1
    const mutant = { file, line, start, end, original: text.slice(start, end), replacement }
    if (mutant.original !== replacement) found.set(`${start} ${end} ${replacement}`, mutant)
  }
  const visit = (node: ts.Node): void => {
    if (isExcluded(node)) return
    mutate(node, source, add)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...found.values()]
}

/** The source with one change. */
export const apply = (
  text: string,
  { start, end, replacement }: Pick<Mutant, 'start' | 'end' | 'replacement'>,
): string => text.slice(0, start) + replacement + text.slice(end)

/** Whether a program has no syntax error. */
export function parses(file: string, text: string): boolean {
  const { diagnostics } = ts.transpileModule(text, {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
  })
  return !diagnostics?.length
}

function isExcluded(node: ts.Node): boolean {
  if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return true
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isImportDeclaration(node)) return true
  if (ts.isExportDeclaration(node) || isText(node)) return true
  return (
    ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword)
  )
}

/** A string or template with a space. Its expressions are part of the text. */
const isText = (node: ts.Node): boolean =>
  (ts.isStringLiteralLike(node) && node.text.includes(' ')) ||
  (ts.isTemplateExpression(node) &&
    [node.head, ...node.templateSpans.map(({ literal }) => literal)].some((part) => part.text.includes(' ')))

function mutate(node: ts.Node, source: ts.SourceFile, add: Add): void {
  if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
    const condition = ts.isIfStatement(node) ? node.expression : node.condition
    negate(condition, source, add)
    add(condition, 'true')
    if (ts.isConditionalExpression(node) || (!node.elseStatement && !ts.isBlock(node.thenStatement)))
      add(condition, 'false')
  } else if (ts.isWhileStatement(node) || ts.isDoStatement(node)) negate(node.expression, source, add)
  else if (ts.isForStatement(node)) {
    if (node.condition) negate(node.condition, source, add)
  } else if (ts.isExpressionStatement(node)) mutateStatement(node, add)
  else if (ts.isBlock(node)) mutateBlock(node, add)
  else if (ts.isReturnStatement(node)) mutateReturn(node, add)
  else if (ts.isArrowFunction(node)) mutateArrow(node, add)
  else if (ts.isBinaryExpression(node)) mutateBinary(node, source, add)
  else if (ts.isPrefixUnaryExpression(node)) mutatePrefix(node, source, add)
  else if (ts.isPostfixUnaryExpression(node))
    add(node, node.operand.getText(source) + (node.operator === ts.SyntaxKind.PlusPlusToken ? '--' : '++'))
  else if (ts.isAwaitExpression(node)) add(node, node.expression.getText(source))
  else if (ts.isCallExpression(node)) mutateCall(node, source, add)
  else if (ts.isArrayLiteralExpression(node)) {
    if (node.elements.length > 0 && !isAssigned(node)) add(node, '[]')
  } else if (isLiteral(node)) mutateLiteral(node, add)
  if (isChained(node)) dropChain(node, add)
}

function negate(condition: ts.Expression, source: ts.SourceFile, add: Add): void {
  // A change of its operator is the same.
  if (ts.isBinaryExpression(condition) && /^(?:[!=]==|[<>]=?)$/.test(condition.operatorToken.getText(source))) return
  if (ts.isPrefixUnaryExpression(condition) && condition.operator === ts.SyntaxKind.ExclamationToken) return
  add(condition, `!(${condition.getText(source)})`)
}

/** Removes calls and assignments. */
function mutateStatement(node: ts.ExpressionStatement, add: Add): void {
  const { expression } = node
  if (ts.isCallExpression(expression) && expression.expression.kind === ts.SyntaxKind.SuperKeyword) return
  add(node, ';')
}

function mutateBlock(node: ts.Block, add: Add): void {
  const [first] = node.statements
  // A change of its only statement is the same.
  const changes = first && (ts.isExpressionStatement(first) || (ts.isReturnStatement(first) && first.expression))
  if (!first || (changes && node.statements.length === 1)) return
  const callsSuper = ts.isConstructorDeclaration(node.parent) && node.getText().includes('super(')
  if (!callsSuper) add(node, '{}')
}

function mutateReturn({ expression }: ts.ReturnStatement, add: Add): void {
  if (expression && !isBoolean(expression) && expression.getText() !== 'undefined') add(expression, 'undefined')
}

function mutateArrow({ body }: ts.ArrowFunction, add: Add): void {
  if (!ts.isBlock(body) && !isBoolean(body) && body.getText() !== 'undefined') add(body, 'undefined')
}

const isBoolean = ({ kind }: ts.Node): boolean =>
  kind === ts.SyntaxKind.TrueKeyword || kind === ts.SyntaxKind.FalseKeyword

/** Other operators for each operator. */
const OPERATORS: Record<string, readonly string[]> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '**': ['*'],
  '&': ['|'],
  '|': ['&'],
  '&&': ['||'],
  '||': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '??=': ['='],
  '||=': ['='],
}

function mutateBinary(node: ts.BinaryExpression, source: ts.SourceFile, add: Add): void {
  const { left, right, operatorToken } = node
  const [a, b] = [left.getText(source), right.getText(source)]
  const operator = operatorToken.getText(source)
  if (operator === '??') {
    add(node, a)
    add(node, b)
  } else if (operator.endsWith('=') && operator in OPERATORS && !/^[<>=!]/.test(operator)) {
    for (const other of OPERATORS[operator]!) add(operatorToken, other)
  } else if (operator !== '+' || !isString(left, right)) {
    for (const other of OPERATORS[operator] ?? []) add(node, `(${a} ${other} ${b})`)
  }
}

const isString = (...nodes: ts.Node[]): boolean =>
  nodes.some((node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))

function mutatePrefix(node: ts.PrefixUnaryExpression, source: ts.SourceFile, add: Add): void {
  const text = node.operand.getText(source)
  if (node.operator === ts.SyntaxKind.PlusPlusToken) add(node, `--${text}`)
  else if (node.operator === ts.SyntaxKind.MinusMinusToken) add(node, `++${text}`)
  else add(node, text)
}

const CALLS: Record<string, string> = { min: 'max', max: 'min', some: 'every', every: 'some' }

function mutateCall({ expression }: ts.CallExpression, source: ts.SourceFile, add: Add): void {
  if (!ts.isPropertyAccessExpression(expression)) return
  const other = CALLS[expression.name.getText(source)]
  if (other !== undefined) add(expression.name, other)
}

/** An array on the left of an assignment is a pattern. */
const isAssigned = (node: ts.Node): boolean =>
  (ts.isBinaryExpression(node.parent) && node.parent.left === node) || ts.isForOfStatement(node.parent)

type Literal = ts.StringLiteral | ts.NoSubstitutionTemplateLiteral | ts.NumericLiteral | ts.BooleanLiteral

const isLiteral = (node: ts.Node): node is Literal =>
  ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isNumericLiteral(node) || isBoolean(node)

function mutateLiteral(node: Literal, add: Add): void {
  if ((ts.isPropertyAssignment(node.parent) || ts.isPropertyDeclaration(node.parent)) && node.parent.name === node)
    return
  if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, 'false')
  else if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'true')
  else if (ts.isNumericLiteral(node)) {
    const value = Number(node.text.replaceAll('_', ''))
    // No test observes a single millisecond.
    const others = isMilliseconds(node) ? [value * 2, value / 2] : [value + 1, value - 1]
    for (const other of others) add(node, other < 0 ? `(${other})` : String(other))
  } else if (ts.isStringLiteralLike(node)) add(node, node.text === '' ? "'x'" : "''")
}

/** The number is part of the value of a constant or a property that is named as a time in milliseconds. */
function isMilliseconds(node: ts.Node): boolean {
  for (let { parent } = node; ; parent = parent.parent) {
    if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent))
      return /(?:^|_)MS$|Ms$/.test(parent.name.getText())
    if (!ts.isBinaryExpression(parent) && !ts.isArrayLiteralExpression(parent)) return false
  }
}

type Chained = ts.PropertyAccessExpression | ts.ElementAccessExpression | ts.CallExpression

const isChained = (node: ts.Node): node is Chained =>
  (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node) || ts.isCallExpression(node)) &&
  node.questionDotToken !== undefined

function dropChain(node: Chained, add: Add): void {
  add(node.questionDotToken!, ts.isPropertyAccessExpression(node) ? '.' : '')
}

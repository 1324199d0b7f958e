import ts from 'typescript'
import { withoutInlineCode, type Paragraph, type ProseKind } from './paragraphs.ts'

/** Programs whose strings are samples and pinned texts: only their comments and test titles count. */
const TEST = /\.test(?:-d|\.fixture)?\.[jt]sx?$|\.fixture\.ts$|\/(?:tests|fixtures|bench|soak)\//

const TITLED = new Set(['test', 'it', 'describe', 'bench'])

/** The prose of a program: its comments, its test titles, and the strings and JSX texts of more than one word. */
export function readProgram(file: string, text: string): Paragraph[] {
  const kind = /x$/.test(file) ? ts.ScriptKind.TSX : undefined
  const program = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, kind)
  const found: Paragraph[] = []
  const literals: { from: number; to: number }[] = []
  const lineOf = (at: number) => program.getLineAndCharacterOfPosition(at).line + 1
  const isTest = TEST.test(file)

  const add = (into: ProseKind, node: ts.Node, words: string) => {
    const first = lineOf(node.getStart(program))
    const lines = withoutInlineCode(words).split('\n')
    // A string without a space is a name or a key.
    if (/\S\s+\S/.test(words))
      found.push({ kind: into, lines: lines.map((line, index) => ({ line: first + index, text: line })) })
  }
  const visit = (node: ts.Node, isTitle = false): void => {
    const words = wordsOf(node)
    if (words !== undefined || ts.isRegularExpressionLiteral(node)) {
      if (words !== undefined && (isTitle || !isTest)) add(isTitle ? 'comments' : 'strings', node, words)
      if (!ts.isTemplateExpression(node)) literals.push({ from: node.getStart(program), to: node.end })
    }
    if (ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      literals.push({ from: node.getStart(program), to: node.end })
    if (ts.isCallExpression(node)) {
      const titled = TITLED.has(calledName(node.expression))
      visit(node.expression)
      for (const [index, argument] of node.arguments.entries()) visit(argument, titled && index === 0)
    } else ts.forEachChild(node, (child) => visit(child))
  }
  visit(program)
  return [...found, ...readComments(blankOut(text, literals), lineOf)]
}

/** `test`, of `test.each(rows)('…')` too. */
function calledName(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node) || ts.isTaggedTemplateExpression(node))
    return calledName('tag' in node ? node.tag : node.expression)
  return ''
}

/** The words of a string, a template (a value is one word) or a JSX text. */
function wordsOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return node.head.text + node.templateSpans.map(({ literal }) => `VALUE${literal.text}`).join('')
}

function blankOut(text: string, ranges: readonly { from: number; to: number }[]): string {
  let blank = ''
  let at = 0
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    if (from < at) continue
    blank += text.slice(at, from) + text.slice(from, to).replaceAll(/[^\n]/g, ' ')
    at = to
  }
  return blank + text.slice(at)
}

/** Comments of a program without strings. `//` lines without a break between them are one comment. */
function readComments(text: string, lineOf: (at: number) => number): Paragraph[] {
  const found: Paragraph[] = []
  let run: { paragraph: Paragraph; next: number } | undefined
  for (const { 0: comment, index } of text.matchAll(/\/\/[^\n]*|\/\*[^]*?\*\//g)) {
    const first = lineOf(index)
    const lines = withoutInlineCode(comment)
      .split('\n')
      .map((line, offset) => ({ line: first + offset, text: line.replace(/^\s*(?:\/\/+|\/\*+|\*(?!\/))?|\*\/$/g, '') }))
    if (comment.startsWith('//') && run?.next === first) run.paragraph.lines.push(...lines)
    else found.push({ kind: 'comments', lines })
    const paragraph = found.at(-1)
    run = comment.startsWith('//') && paragraph ? { paragraph, next: first + 1 } : undefined
  }
  return found
}

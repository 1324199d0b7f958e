import ts from 'typescript'
import { isCode, readText, sourceFiles } from '../source-files.ts'

/** A regular expression of the sources. */
export interface Pattern {
  file: string
  line: number
  /** The source of the literal, or the code of the arguments of `new RegExp(…)`. */
  source: string
  flags: string
  /** Set if the source is built at run time. */
  made?: true
}

/**
 * Files of programs that users run. Excludes tests, and programs that read only this repository (checks, site, build
 * scripts).
 */
const isShipped = (path: string): boolean =>
  isCode(path) &&
  /^(?:packages|create-bot|templates|examples)\//.test(path) &&
  !/^packages\/(?:workspace|site)\/|\/(?:scripts|tests)\/|\.test(?:-d|\.fixture)?\.tsx?$|\.fixture\.ts$|\.config\.ts$|\.d\.ts$/.test(
    path,
  )

/** Every regular expression in the programs that users run. */
export async function collectPatterns(root: string): Promise<Pattern[]> {
  const files = (await sourceFiles(root)).filter(isShipped)
  const found = await Promise.all(files.map(async (file) => patternsIn(file, await readText(root, file))))
  return found.flat()
}

/** The regular expressions of one program: literals, and `RegExp(…)` with and without `new`. */
export function patternsIn(file: string, text: string): Pattern[] {
  const program = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  const found: Pattern[] = []
  const add = (node: ts.Node, pattern: Pick<Pattern, 'source' | 'flags' | 'made'>) =>
    found.push({ file, line: program.getLineAndCharacterOfPosition(node.getStart(program)).line + 1, ...pattern })
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      add(node, { source: node.text.slice(1, end), flags: node.text.slice(end + 1) })
    } else if (
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      node.expression.getText(program) === 'RegExp'
    ) {
      const [source, flags] = node.arguments ?? []
      const fixed = source && ts.isStringLiteralLike(source)
      add(node, {
        source: fixed ? source.text : (source?.getText(program).replaceAll(/\s+/g, ' ') ?? ''),
        flags: flags && ts.isStringLiteralLike(flags) ? flags.text : '',
        ...(!fixed && { made: true }),
      })
    }
    ts.forEachChild(node, visit)
  }
  visit(program)
  return found
}

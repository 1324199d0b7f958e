import ts from 'typescript'
import type { Mutant } from './mutants-of.ts'

/**
 * The source of a file in which the block or arrow function around each mutant first runs `mark(<number>)`. At the top level of a file or
 * class, importing the file runs it.
 */
export function markMutants(file: string, text: string, mutants: ReadonlyMap<number, Mutant>, mark: string): string {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true)
  const insertions: { at: number; text: string }[] = []
  for (const [number, mutant] of mutants) {
    const around = blockAround(source, mutant)
    const call = `${mark}(${number})`
    if (!around) insertions.push({ at: text.length, text: `\n;${call};` })
    else if (ts.isBlock(around)) insertions.push({ at: around.getStart(source) + 1, text: `${call};` })
    else {
      insertions.push({ at: around.getStart(source), text: `(${call},` })
      insertions.push({ at: around.getEnd(), text: ')' })
    }
  }
  insertions.sort((a, b) => b.at - a.at)
  return insertions.reduce((marked, { at, text: more }) => marked.slice(0, at) + more + marked.slice(at), text)
}

/** The innermost block or body of an arrow function that contains the mutant. */
function blockAround(source: ts.SourceFile, { start, end }: Mutant): ts.Block | ts.Expression | undefined {
  let around: ts.Block | ts.Expression | undefined
  const visit = (node: ts.Node): void => {
    if (node.getStart(source) > start || node.getEnd() < end) return
    const isBody = ts.isArrowFunction(node.parent ?? node) && (node.parent as ts.ArrowFunction).body === node
    if (ts.isBlock(node) || isBody) around = node as ts.Block | ts.Expression
    ts.forEachChild(node, visit)
  }
  visit(source)
  return around
}

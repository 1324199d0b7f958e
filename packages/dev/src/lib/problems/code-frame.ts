import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { printableBlock, printableLine } from '@botwright/protocol/facts'
import type { Colors } from '../terminal/terminal.ts'
import { placeOf, type Problem } from '../compile/problem.ts'

/** A problem as it is printed: location and text, then the surrounding lines with a marker. */
export async function showProblem(
  problem: Problem,
  root: string,
  colors: Colors,
  mark = colors.red('✘'),
): Promise<string> {
  const head = `${mark} ${problem.file === undefined ? '' : `${colors.cyan(printableLine(placeOf(problem)))}  `}${printableBlock(problem.text)}`
  const frame = await codeFrame(problem, root, colors)
  const notes = (problem.notes ?? []).map((note) => colors.dim(`  ${printableBlock(note)}`))
  return [head, ...frame, ...notes].join('\n')
}

async function codeFrame({ file, line, column, length = 1 }: Problem, root: string, colors: Colors): Promise<string[]> {
  if (file === undefined || line === undefined) return []
  const lines = await linesOf(join(root, file))
  const first = Math.max(1, line - 2)
  const width = String(line + 1).length
  return lines.slice(first - 1, line + 1).flatMap((source, index) => {
    const text = printableBlock(source)
    const number = first + index
    const gutter = `  ${String(number).padStart(width)} │ `
    if (number !== line) return [colors.dim(gutter + text)]
    // As wide as the code before: a tab has another width in each terminal, and some characters are shown as escapes.
    const before = printableBlock(source.slice(0, Math.max(0, (column ?? 1) - 1))).replace(/[^\t]/gu, ' ')
    const marks = before + '^'.repeat(Math.max(1, length))
    return [`${gutter}${text}`, `  ${' '.repeat(width)} │ ${colors.red(marks)}`]
  })
}

/** The file may be deleted by now; its problem is reported all the same. */
async function linesOf(path: string): Promise<string[]> {
  try {
    return (await readFile(path, 'utf8')).split(/\r?\n/)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { printableBlock, printableLine } from '@botwright/protocol/facts'
import { frameWindow } from '@botwright/framework/replay'
import { statOf } from '../files/look.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { placeOf, type Problem } from '../compile/problem.ts'

/** Where a problem is shown. Lines of code fit into its window. `loadedMs`: when the code with the problem was loaded. */
type Shown = Pick<Terminal, 'colors' | 'size'> & { loadedMs?: number }

/** A problem as it is printed: location and text, then the surrounding lines with a marker. */
export async function showProblem(
  problem: Problem,
  root: string,
  terminal: Shown,
  mark = terminal.colors.red('✘'),
): Promise<string> {
  const { colors } = terminal
  const head = `${mark} ${problem.file === undefined ? '' : `${colors.cyan(printableLine(placeOf(problem)))}  `}${printableBlock(problem.text)}`
  const frame = await codeFrame(problem, root, terminal)
  const notes = (problem.notes ?? []).map((note) => colors.dim(`  ${printableBlock(note)}`))
  return [head, ...frame, ...notes].join('\n')
}

async function codeFrame(problem: Problem, root: string, { colors, size, loadedMs }: Shown): Promise<string[]> {
  const { file, line, column = 1, length = 1 } = problem
  if (file === undefined || line === undefined) return []
  if (isSavedSince(join(root, file), loadedMs))
    return [colors.dim(`  ${printableLine(file)} was saved after this code was loaded`)]
  const lines = await sourceLines(root, file)
  const first = Math.max(1, line - 2)
  const width = String(line + 1).length
  // A tab has another width in each terminal.
  const printable = (text: string) => (size ? printableBlock(text).replaceAll('\t', '  ') : printableBlock(text))
  const room = size ? size.columns - `  ${' '.repeat(width)} │ `.length : Infinity
  // Some characters are shown as escapes.
  const before = printable((lines[line - 1] ?? '').slice(0, Math.max(0, column - 1)))
  return lines.slice(first - 1, line + 1).flatMap((source, index) => {
    const number = first + index
    const gutter = `  ${String(number).padStart(width)} │ `
    if (number !== line) return [colors.dim(gutter + frameWindow(printable(source), room).text)]
    const shown = frameWindow(printable(source), room, [...before].length + 1)
    const indent = shown.column > 1 ? before.replace(/[^\t]/gu, ' ').slice(0, shown.column - 1) : ''
    const marks = indent + '^'.repeat(Math.max(1, Math.min(length, room - indent.length)))
    return [`${gutter}${shown.text}`, `  ${' '.repeat(width)} │ ${colors.red(marks)}`]
  })
}

/** Whether its lines may no longer be those of the problem. */
const isSavedSince = (path: string, loadedMs = Infinity): boolean => (statOf(path)?.mtimeMs ?? 0) > loadedMs

/** The lines of a file of the bot. It may be deleted, replaced or locked by now; its problem is reported all the same. */
export const sourceLines = (root: string, file: string): Promise<string[]> =>
  readFile(join(root, file), 'utf8').then(
    (text) => text.split(/\r?\n/),
    () => [],
  )

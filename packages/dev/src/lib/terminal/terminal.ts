import { Writable } from 'node:stream'
import { type ProgramOutput, widthOf } from '@botwright/framework/start'

export {
  type Colors,
  count,
  createTerminal,
  cutToWidth,
  duration,
  table,
  type Terminal,
  wantsColors,
  widthOf,
} from '@botwright/framework/start'

/**
 * The terminal, for sequences that move the cursor or clear lines. The program escapes such sequences in all other output, so that
 * texts from outside cannot use them: write no such text here.
 */
export const cursorTerminal = (stdout: ProgramOutput): ProgramOutput =>
  new Proxy(stdout, {
    get(stream, key) {
      if (key === 'write') return Writable.prototype.write.bind(stream)
      const value: unknown = Reflect.get(stream, key, stream)
      return typeof value === 'function' ? (value.bind(stream) as unknown) : value
    },
  })

/** Clears the window and what it scrolled away. */
export const clearWindow = (stdout: ProgramOutput): void =>
  void cursorTerminal(stdout).write('\u001b[2J\u001b[3J\u001b[H')

/** Breaks lines between words at a width; continued lines are indented. A longer word is not broken. */
export function wrapToWidth(text: string, width: number, indent: number): string {
  const begin = ' '.repeat(indent)
  const wrap = (line: string): string => {
    const rows: string[] = []
    let row = ''
    for (const [at, word] of line.split(' ').entries()) {
      if (row.trim() !== '' && widthOf(row) + 1 + widthOf(word) > width) {
        rows.push(row.trimEnd())
        row = begin + word
      } else row = at === 0 || (rows.length > 0 && row === begin) ? row + word : `${row} ${word}`
    }
    return [...rows, row].join('\n')
  }
  return text
    .split('\n')
    .map((line) => (widthOf(line) > width ? wrap(line) : line))
    .join('\n')
}

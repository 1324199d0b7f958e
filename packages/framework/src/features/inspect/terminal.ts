import pc from 'picocolors'
import { durationText } from '../../author/time/duration.ts'
import type { ProgramOutput, ThreadIo } from '../../link/thread-io.ts'
import { cleanLine } from '../../program/clean-line.ts'

/** Functions that color a text. */
export type Colors = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>>

/** The output of the commands. Contains no secret of the environment, nor of an `.env` that was read in the meantime. */
export interface Terminal {
  colors: Colors
  readonly print: (text: string) => void
  /** Columns and rows of the window at this moment; undefined in files and pipes. */
  readonly size?: { columns: number; rows: number } | undefined
}

/** The terminal of a stream; default: standard output. */
export function createTerminal({ stdout, env }: ThreadIo, stream: ProgramOutput = stdout): Terminal {
  return {
    colors: pc.createColors(wantsColors(stream, env)),
    print: (text) => void stream.write(cleanLine(`${text}\n`, env)),
    get size() {
      const { isTTY, columns = 0, rows = 0 } = stream
      // Some terminals report 0: their size is not known.
      return isTTY && columns > 0 ? { columns, rows } : undefined
    },
  }
}

/**
 * Colors only where they are visible: not in files and pipes, and not with `NO_COLOR`. `FORCE_COLOR` overrides both.
 * (Picocolors itself treats `CI` as a terminal with colors.)
 */
export function wantsColors(stream: { isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): boolean {
  const forced = env['FORCE_COLOR']
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  if (env['NO_COLOR']) return false
  return stream.isTTY === true && env['TERM'] !== 'dumb'
}

/** Rows with aligned columns; `cells` may contain colors, which do not count as width. */
export function table(rows: readonly (readonly string[])[], gap = '  '): string[] {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, widthOf(cell))))
  }
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(column === row.length - 1 ? 0 : widths[column]! - widthOf(cell)))
      .join(gap)
      .trimEnd(),
  )
}

/** The width of a text, without its colors. */
export const widthOf = (cell: string): number => [...cell.replaceAll(/\u001b\[\d+m/g, '')].length

/** Truncates a text that may contain colors; the result ends in an ellipsis, and colors are closed. */
export function cutToWidth(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let left = width - 1
  let cut = ''
  for (const part of text.split(/(\u001b\[\d+m)/)) {
    if (part.startsWith('\u001b[')) cut += part
    else {
      const taken = [...part].slice(0, left)
      cut += taken.join('')
      left -= taken.length
    }
    if (left <= 0) break
  }
  return text.includes('\u001b[') ? `${cut}…\u001b[0m` : `${cut}…`
}

/** `18 ms`, `1.2 s`, `3 days`. */
export function duration(ms: number): string {
  if (ms >= 120_000) return durationText(ms)
  return ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** `1 command`, `2 commands`. */
export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

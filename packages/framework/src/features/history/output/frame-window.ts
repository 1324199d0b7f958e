/** So many characters after the column stay in sight. */
const AFTER = 16

/** A source line in a width: the part around a column, which counts from 1. Without a column, its beginning. */
export function frameWindow(line: string, width: number, column = 1): { text: string; column: number } {
  const all = [...line]
  if (all.length <= width) return { text: line, column }
  const from = column + AFTER <= width ? 0 : column - Math.floor(width / 2)
  const rest = all.slice(from)
  const fits = rest.length <= width
  const part = fits ? rest : rest.slice(0, width - 1)
  if (from > 0) part[0] = '…'
  return { text: `${part.join('')}${fits ? '' : '…'}`, column: column - from }
}

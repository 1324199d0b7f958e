import { printableLine } from '@botwright/protocol/facts'

/** Lines of a table in columns. Other processes wrote the cells, so line breaks and terminal sequences are escaped. */
export function table(head: readonly string[], given: readonly (readonly string[])[]): string[] {
  const rows = given.map((row) => row.map(printableLine))
  const widths = head.map((title, at) => rows.reduce((width, row) => Math.max(width, row[at]!.length), title.length))
  return [head, ...rows].map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd(),
  )
}

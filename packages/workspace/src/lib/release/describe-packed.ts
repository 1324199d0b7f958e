import type { Packed } from '../publishing/pack.ts'

/** `@botwright/rest@0.2.0   23.2 kB packed   84.1 kB installed   38 files` */
export function describePacked(packed: readonly Packed[], version: string): string[] {
  const rows = packed.map((one) => [
    `${one.name}@${version}`,
    `${kilobytes(one.size)} packed`,
    `${kilobytes(one.unpackedSize)} installed`,
    `${one.files.length} files`,
  ])
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map(
    (row) =>
      `  ${row.map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0))).join('   ')}`,
  )
}

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`

/** One problem in the repository: its location, the fact and the fix. */
export interface Violation {
  /** Path from the root, with forward slashes. */
  file: string
  /** Counted from 1; omitted for the whole file. */
  line?: number
  fact: string
  fix: string
}

/** A check reads the folder `root` and returns the violations of its rule. */
export type Check = (root: string) => Promise<Violation[]>

/** `packages/rest/src/index.ts:3  imports a private file — import @botwright/protocol instead` */
export function formatViolation({ file, line, fact, fix }: Violation): string {
  return `${file}${line === undefined ? '' : `:${line}`}  ${fact} — ${fix}`
}

/** The line, counted from 1, of the character at `offset`. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

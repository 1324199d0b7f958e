/** One thing that is wrong in the repository: where, the fact, and what to do about it. */
export interface Violation {
  /** Path from the root, with forward slashes. */
  file: string
  /** Counted from 1; left out when the whole file is meant. */
  line?: number
  fact: string
  fix: string
}

/** A check reads the folder `root` and reports what breaks its rule; an empty list means that the rule holds. */
export type Check = (root: string) => Promise<Violation[]>

/** `packages/rest/src/index.ts:3  imports a private file — import @botwright/protocol instead` */
export function formatViolation({ file, line, fact, fix }: Violation): string {
  return `${file}${line === undefined ? '' : `:${line}`}  ${fact} — ${fix}`
}

/** The line, counted from 1, on which the character at `offset` stands. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

import type { Violation } from '../violation.ts'
import type { Digests } from './digest.ts'

/** What one process does at a time. Paths are from the root. */
export type Task =
  | { part: 'types'; project: string }
  /** With a project, its types come from the project's program: most cheaply in the process that compiled it. */
  | { part: 'lint'; project?: string; files: string[] }
  | { part: 'format'; files: string[] }

/** The parts of the check that are done here. */
export type Part = Task['part']

export interface Answer {
  violations: Violation[]
  /** Everything that was read to come to it; of a project also the declarations that its program read. */
  read?: Digests
  /** After a compilation: the process keeps the program. */
  isHeld?: boolean
  /** Processor time. */
  milliseconds: number
}

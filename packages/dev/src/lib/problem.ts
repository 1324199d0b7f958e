import type { Message } from 'esbuild'
import { BotwrightError } from '@botwright/protocol/facts'
import { relative } from 'node:path'

/** Something wrong in a bot's files: where, what, and the line itself at its own service. */
export interface Problem {
  /** Path relative to the bot's folder, with `/`. */
  file?: string
  /** 1-based. */
  line?: number
  /** 1-based. */
  column?: number
  /** How many characters of the line are meant. */
  length?: number
  text: string
  notes?: readonly string[]
}

/** The files of a bot do not compile. `code` is `ERR_DEFINITION`; `problems` names each place. */
export class CompileError extends BotwrightError {
  readonly problems: readonly Problem[]

  constructor(all: readonly Problem[]) {
    // With a broken tsconfig.json no import is found: those are no problems of their own.
    const causes = all.filter((problem) => problem.file?.endsWith('tsconfig.json'))
    const problems = causes.length > 0 ? causes : all
    super('ERR_DEFINITION', problems.map(describeProblem).join('\n'))
    this.name = 'CompileError'
    this.problems = problems
  }
}

/** `commands/ping.ts:3:7: the text`, as editors and terminals make links of it. */
function describeProblem(problem: Problem): string {
  return problem.file === undefined ? problem.text : `${placeOf(problem)}: ${problem.text}`
}

/** `commands/ping.ts:3:7`. */
export function placeOf({ file, line, column }: Problem): string {
  return [file, line, column].filter((part) => part !== undefined).join(':')
}

/** esbuild's message in our words: 1-based columns, paths from the bot's folder. */
export function problemOf(message: Message, root: string): Problem {
  const { location } = message
  const notes = message.notes.map((note) => note.text).filter((text) => text !== '')
  return {
    text: message.text,
    ...(location && {
      file: slashed(relative(root, `${root}/${location.file}`)),
      line: location.line,
      column: location.column + 1,
      length: location.length,
    }),
    ...(notes.length > 0 && { notes }),
  }
}

/** Paths inside a bot are written with `/` on every machine. */
export function slashed(path: string): string {
  return path.replaceAll('\\', '/')
}

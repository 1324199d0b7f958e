import type { Message } from 'esbuild'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BotwrightError } from '@botwright/protocol/facts'
import { isUtf16, utf16Rule } from '@botwright/protocol/text-file'
import { slashed } from '../files/path-below.ts'
import { textExtensions } from './emitted-path.ts'

/** A problem in a bot's files: location, text, and the line itself if available. */
export interface Problem {
  /** Path relative to the bot's folder, with `/`. */
  file?: string
  /** 1-based. */
  line?: number
  /** 1-based. */
  column?: number
  /** The number of marked characters in the line. */
  length?: number
  text: string
  notes?: readonly string[]
}

/** The files of a bot do not compile. `code` is `ERR_DEFINITION`; `problems` names each location. */
export class CompileError extends BotwrightError {
  readonly problems: readonly Problem[]

  constructor(all: readonly Problem[]) {
    // With a broken tsconfig.json no import is found: those are not separate problems.
    const causes = all.filter((problem) => problem.file?.endsWith('tsconfig.json'))
    const problems = causes.length > 0 ? causes : all
    super('ERR_DEFINITION', problems.map(describeProblem).join('\n'))
    this.name = 'CompileError'
    this.problems = problems
  }
}

/** `commands/ping.ts:3:7: the text`, which editors and terminals turn into a link. */
function describeProblem(problem: Problem): string {
  return problem.file === undefined ? problem.text : `${placeOf(problem)}: ${problem.text}`
}

/** `commands/ping.ts:3:7`. */
export function placeOf({ file, line, column }: Problem): string {
  return [file, line, column].filter((part) => part !== undefined).join(':')
}

/** esbuild's message in our format: 1-based columns, paths from the bot's folder. */
export function problemOf(message: Message, root: string): Problem {
  const { location } = message
  const file = location && slashed(relative(root, `${root}/${location.file}`))
  // esbuild reports the first character of such a file as a syntax error.
  if (file && isInUtf16(join(root, file))) return { file, text: utf16Rule }
  const notes = message.notes.map((note) => note.text).filter((text) => text !== '')
  return {
    text: withoutLoader(message.text),
    ...(location && {
      file: file!,
      line: location.line,
      column: charactersIn(location.lineText, 0, location.column) + 1,
      length: charactersIn(location.lineText, location.column, location.length),
    }),
    ...(notes.length > 0 && { notes }),
  }
}

/** A bot cannot configure esbuild's loaders. */
function withoutLoader(text: string): string {
  const [, extension, file] = /^No loader is configured for "([^"]*)" files: (.+)$/s.exec(text) ?? []
  if (file === undefined) return text
  const fix = "read the file with readFile(new URL('…', import.meta.url))"
  const rule = `only code, .json, ${textExtensions.slice(0, -1).join(', ')} and ${textExtensions.at(-1)} can be`
  return `"${extension}" files such as ${file} cannot be imported: ${rule}; ${fix}`
}

/** esbuild counts the bytes of a line; a line shows characters. */
const charactersIn = (line: string, start: number, bytes: number): number =>
  Buffer.from(line)
    .subarray(start, start + bytes)
    .toString().length

function isInUtf16(path: string): boolean {
  try {
    return isUtf16(readFileSync(path))
  } catch {
    // Deleted since: the error of esbuild is reported.
    return false
  }
}

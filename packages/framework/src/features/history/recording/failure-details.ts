import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { cut } from '@botwright/protocol/facts'
import type { TimelineFailure } from '@botwright/protocol/timeline'
import { codeOf } from '../../../author/error-code.ts'
import { authorStack, sourceLine } from '../../../link/errors/source-line.ts'
import { causesOf } from '../../../link/errors/whole-error.ts'
import type { FailureDetails } from '../../../link/recorded-step.ts'

/** Lines before and after the one that threw. */
const AROUND = 3
const LONGEST_LINE = 200
const LONGEST_FILE = 1024 * 1024
const MOST_CAUSES = 10

/** The details of a handler's error for the recording. `at`: the line of the bot's own code that threw, which was loaded at `loadedMs`. */
export function failureDetails(error: unknown, root: string, at: string, loadedMs: number): FailureDetails {
  const code = codeOf(error)
  const frame = frameOf({ root, at, error, loadedMs })
  return {
    ...(error instanceof Error && { name: error.name }),
    ...(code !== undefined && { code }),
    ...(frame && { frame }),
    causes: causesOf(error)
      .slice(0, MOST_CAUSES)
      .map((cause) => {
        if (!(cause instanceof Error)) return { message: String(cause) }
        const line = sourceLine(cause, root)
        return { name: cause.name, message: cause.message, ...(line !== undefined && { at: line }) }
      }),
  }
}

/** The lines around the one that threw. None if the file was saved since: they would be those of other code. */
function frameOf(given: { root: string; at: string; error: unknown; loadedMs: number }): TimelineFailure['frame'] {
  const { root, at, error, loadedMs } = given
  const [, file = '', row = ''] = /^(.+):(\d+)$/.exec(at) ?? []
  if (row === '' || file.split('/').includes('..')) return undefined
  const path = join(root, file)
  let text: string
  try {
    const { size, mtimeMs } = statSync(path)
    if (size > LONGEST_FILE || mtimeMs > loadedMs) return undefined
    text = readFileSync(path, 'utf8')
  } catch {
    // A plugin's file, or a build without its sources.
    return undefined
  }
  const all = text.split('\n')
  const line = Number(row)
  if (line > all.length) return undefined
  const first = Math.max(1, line - AROUND)
  const lines = all
    .slice(first - 1, line + AROUND)
    .map((one, i) => ({ number: first + i, text: cut(one.replace(/\r$/, ''), LONGEST_LINE) }))
  const column = columnOf(error, at)
  return { line, ...(column !== undefined && { column }), lines }
}

function columnOf(error: unknown, at: string): number | undefined {
  if (!(error instanceof Error) || error.stack === undefined) return undefined
  const stack = authorStack(error.stack)
  const begin = stack.indexOf(`/${at}:`)
  const [column] = begin === -1 ? [] : (/^\d+/.exec(stack.slice(begin + at.length + 2)) ?? [])
  return column === undefined ? undefined : Number(column)
}

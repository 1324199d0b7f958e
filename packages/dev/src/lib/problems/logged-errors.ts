import { wholeStack } from '@botwright/framework/start'
import { printableLine } from '@botwright/protocol/facts'
import { ownPlace } from './load-problem.ts'

/** An error among the facts of a log line. */
export interface LoggedError {
  key: string
  stack: string
}

/** Separates the errors of a log line from its other facts. Errors of other threads are objects with a message and a stack. */
export function splitErrors(facts: object): { errors: LoggedError[]; rest: Record<string, unknown> } {
  const errors: LoggedError[] = []
  const rest: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(facts) as [string, unknown][]) {
    const { message, stack } = (value ?? {}) as { message?: unknown; stack?: unknown }
    if (typeof message !== 'string' || typeof stack !== 'string') rest[key] = value
    else errors.push({ key, stack: value instanceof Error ? wholeStack(value) : stack })
  }
  return { errors, rest }
}

/** Whether a stack has a line of the author's files. */
export const isOfAuthor = ({ stack }: LoggedError, root: string): boolean =>
  stack.split('\n').some((line) => ownPlace(line, root) !== undefined)

/** The stacks of a line's errors: only the author's files if they contain any, by their path in the bot's folder. */
export function stackLines(errors: readonly LoggedError[], root: string): string[] {
  return errors.flatMap((error) => {
    const isOwn = isOfAuthor(error, root)
    const lines = error.stack.split('\n').flatMap((line) => {
      const isFrame = /^ +at /.test(line)
      const place = ownPlace(line, root)
      if (isFrame && isOwn && !place) return []
      return [place ? line.replace(place.found, place.file) : line]
    })
    const isNamed = errors.length > 1 || !/^err(?:or)?$/.test(error.key)
    return lines.map((line, at) => `    ${printableLine(at === 0 && isNamed ? `${error.key}: ${line}` : line)}`)
  })
}

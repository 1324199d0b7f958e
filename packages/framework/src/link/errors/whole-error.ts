import { inspect } from 'node:util'

/** An error may be its own cause, and a chain may be long. */
const DEEPEST = 5
const MOST_PARTS = 5

/** What an error was caused by, and what it is made of: `fetch failed` alone tells nobody that the address was wrong. */
function partsOf(error: Error): unknown[] {
  const { cause, errors } = error as { cause?: unknown; errors?: unknown }
  const joined: readonly unknown[] = Array.isArray(errors) ? errors : []
  return [...(cause === undefined || cause === null ? [] : [cause]), ...joined].slice(0, MOST_PARTS)
}

const inWords = (thrown: unknown): string =>
  typeof thrown === 'string' ? thrown : inspect(thrown, { depth: 2, breakLength: Infinity, maxStringLength: 500 })

/** The message of what was thrown, with those of its causes: `fetch failed: connect ECONNREFUSED 127.0.0.1:80`. */
export function wholeMessage(thrown: unknown, depth = 0): string {
  if (!(thrown instanceof Error)) return inWords(thrown)
  const { message } = thrown
  if (depth === DEEPEST) return message
  const parts = partsOf(thrown).map((part) => wholeMessage(part, depth + 1))
  // Many errors quote their cause already.
  const more = [...new Set(parts)].filter((part) => part !== '' && !message.includes(part)).join('; ')
  if (more === '') return message
  return message === '' ? more : `${message}: ${more}`
}

/** The stack of what was thrown, with those of its causes below it. */
export function wholeStack(thrown: unknown, depth = 0): string {
  if (!(thrown instanceof Error)) return inWords(thrown)
  const stack = thrown.stack ?? `${thrown.name}: ${thrown.message}`
  if (depth === DEEPEST) return stack
  return [stack, ...partsOf(thrown).map((part) => wholeStack(part, depth + 1))].join('\ncaused by ')
}

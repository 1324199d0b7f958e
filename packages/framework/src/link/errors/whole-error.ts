import { inspect } from 'node:util'

// An error can be its own cause, and chains can be long.
const DEEPEST = 5
const MOST_PARTS = 5
/** Some messages quote a whole response. */
const LONGEST = 32 * 1024
const LONGEST_WORD = 1000

/** A text of limited length. It ends before a word, because a part of a secret would not be hidden. */
function bounded(text: string, most = LONGEST): string {
  if (text.length <= most) return text
  const least = most - LONGEST_WORD
  const end = Math.max(least - 1, text.lastIndexOf(' ', most), text.lastIndexOf('\n', most)) + 1
  return `${text.slice(0, end)}… (${text.length} characters)`
}

/** The cause of an error and the errors of an `AggregateError`. `fetch failed` alone does not show that the address was wrong. */
function partsOf(error: Error): unknown[] {
  const { cause, errors } = error as { cause?: unknown; errors?: unknown }
  const joined: readonly unknown[] = Array.isArray(errors) ? errors : []
  return [...(cause === undefined || cause === null ? [] : [cause]), ...joined].slice(0, MOST_PARTS)
}

const describe = (thrown: unknown): string =>
  typeof thrown === 'string'
    ? bounded(thrown)
    : inspect(thrown, { depth: 2, breakLength: Infinity, maxStringLength: 500 })

/** The causes of a thrown value, outermost first. */
export function causesOf(thrown: unknown): unknown[] {
  const causes: unknown[] = []
  for (let layer = [thrown], depth = 0; layer.length > 0 && depth < DEEPEST; depth++) {
    layer = layer.flatMap((one) => (one instanceof Error ? partsOf(one) : []))
    causes.push(...layer)
  }
  return causes
}

/** The message of a thrown value with the messages of its causes: `fetch failed: connect ECONNREFUSED 127.0.0.1:80`. */
export function wholeMessage(thrown: unknown, depth = 0): string {
  if (!(thrown instanceof Error)) return describe(thrown)
  const message = bounded(thrown.message)
  if (depth === DEEPEST) return message
  const parts = partsOf(thrown).map((part) => wholeMessage(part, depth + 1))
  // Many errors already quote their cause.
  const more = [...new Set(parts)].filter((part) => part !== '' && !message.includes(part)).join('; ')
  if (more === '') return message
  return bounded(message === '' ? more : `${message}: ${more}`)
}

/** A thrown value whose fields can be read: getters may throw, and a message may be anything. */
export function readable(thrown: unknown): unknown {
  const texts = ['name', 'message', 'stack'] as const
  try {
    const { name, message, stack = '' } = thrown instanceof Error ? thrown : { name: '', message: wholeMessage(thrown) }
    // Reads every field that the log has.
    void [
      wholeMessage(thrown),
      wholeStack(thrown),
      (thrown as { code?: unknown } | null)?.code,
      Object.entries(thrown ?? {}),
    ]
    if ([name, message, stack].every((text) => typeof text === 'string')) return thrown
  } catch {
    // Those that can be read are copied.
  }
  const error = new Error('an error whose message cannot be read')
  // Its lines would be those of this function.
  error.stack = String(error)
  for (const field of texts)
    try {
      const text: unknown = (thrown as Error)[field]
      if (typeof text === 'string') Object.defineProperty(error, field, { value: text })
    } catch {
      // It stays as it is.
    }
  return error
}

/** The stack of a thrown value, followed by the stacks of its causes. */
export function wholeStack(thrown: unknown, depth = 0): string {
  if (!(thrown instanceof Error)) return describe(thrown)
  const { message, stack: whole = `${thrown.name}: ${message}` } = thrown
  // The stack frames are kept.
  const stack = bounded(message.length > LONGEST ? whole.replace(message, () => bounded(message)) : whole, 2 * LONGEST)
  if (depth === DEEPEST) return stack
  const parts = partsOf(thrown).map((part) => wholeStack(part, depth + 1))
  return bounded([stack, ...parts].join('\ncaused by '), 4 * LONGEST)
}

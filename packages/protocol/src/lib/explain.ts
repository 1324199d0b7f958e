import type { z } from 'zod'

/** `embeds[0].fields[2].name`: a place in a body as its author would write it. */
function place(path: readonly PropertyKey[]): string {
  let text = ''
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`
    else text += text === '' ? String(key) : `.${String(key)}`
  }
  return text
}

const articles: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
}

/** Zod's own words speak of "input" and of sizes; these say what to write instead. A schema's own words stay as they are. */
function inWords(issue: z.core.$ZodIssue): string {
  const { message } = issue
  if (message.startsWith('Invalid option: expected one of ')) {
    return `must be one of ${message.slice('Invalid option: expected one of '.length).replaceAll('|', ', ')}`
  }
  if (message.startsWith('Too small: ') && issue.code === 'too_small') {
    if (issue.origin === 'string' || issue.origin === 'array') return 'must not be empty'
    return issue.minimum === Number.MIN_SAFE_INTEGER ? 'must be an integer' : `must be at least ${issue.minimum}`
  }
  if (message.startsWith('Too big: ') && issue.code === 'too_big') {
    return issue.maximum === Number.MAX_SAFE_INTEGER ? 'must be an integer' : `must be at most ${issue.maximum}`
  }
  if (!message.startsWith('Invalid input: expected ')) return message
  const [expected = '', received] = message.slice('Invalid input: expected '.length).split(', received ')
  if (received === 'undefined') return `is required (${expected === 'int' ? 'integer' : expected})`
  const wanted = `must be ${articles[expected] ?? expected}`
  // "an integer, not a number" would only puzzle.
  if (received === undefined || (expected === 'int' && received === 'number')) return wanted
  return `${wanted}, not ${received === 'boolean' ? 'a boolean' : (articles[received] ?? received)}`
}

const MOST_TOLD = 5

/**
 * Everything that a schema found wrong, as one text: `components[0].components[1].url: must be an https link; content: …`.
 * Holds the names of fields and never their values, so that it may be logged and sent. At most five faults are told.
 */
export function explain(error: { readonly issues: readonly z.core.$ZodIssue[] }): string {
  const { issues } = error
  const told = issues
    .slice(0, MOST_TOLD)
    .map((issue) => {
      const where = place(issue.path)
      return where === '' ? inWords(issue) : `${where}: ${inWords(issue)}`
    })
    .join('; ')
  return issues.length > MOST_TOLD ? `${told}; and ${issues.length - MOST_TOLD} more` : told
}

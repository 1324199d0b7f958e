import type * as z from 'zod'

/** The path of a field in the notation of code: `embeds[0].fields[2].name`. */
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
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
}

/** Replaces zod's default messages by ones that name the expected value. Messages of our own schemas stay as they are. */
function inWords(issue: z.core.$ZodIssue): string {
  const { message } = issue
  if (message.startsWith('Invalid option: expected one of ')) {
    return `must be one of ${message.slice('Invalid option: expected one of '.length).replaceAll('|', ', ')}`
  }
  if (message.startsWith('Too small: ') && issue.code === 'too_small') {
    if (issue.origin === 'string' && Number(issue.minimum) > 1) return `must be at least ${issue.minimum} characters`
    if (issue.origin === 'string' || issue.origin === 'array') return 'must not be empty'
    return issue.minimum === Number.MIN_SAFE_INTEGER ? 'must be an integer' : `must be at least ${issue.minimum}`
  }
  if (message.startsWith('Too big: ') && issue.code === 'too_big') {
    return issue.maximum === Number.MAX_SAFE_INTEGER ? 'must be an integer' : `must be at most ${issue.maximum}`
  }
  if (!message.startsWith('Invalid input: expected ')) return message
  const [expected = '', received] = message.slice('Invalid input: expected '.length).split(', received ')
  if (received === 'undefined') return `is required (${expected})`
  const wanted = `must be ${articles[expected] ?? expected}`
  // "an integer, not a number" would be confusing.
  if (received === undefined || (expected === 'int' && received === 'number')) return wanted
  return `${wanted}, not ${received === 'boolean' ? 'a boolean' : (articles[received] ?? received)}`
}

const MAX_ISSUES = 5

/**
 * The validation errors of a schema as one text: `components[0].components[1].url: must be an https link; content: …`.
 * Contains field names but never their values, so it is safe to log and send. Lists at most five errors.
 */
export function explain(error: { readonly issues: readonly z.core.$ZodIssue[] }): string {
  const { issues } = error
  const listed = issues
    .slice(0, MAX_ISSUES)
    .map((issue) => {
      const where = place(issue.path)
      return where === '' ? inWords(issue) : `${where}: ${inWords(issue)}`
    })
    .join('; ')
  return issues.length > MAX_ISSUES ? `${listed}; and ${issues.length - MAX_ISSUES} more` : listed
}

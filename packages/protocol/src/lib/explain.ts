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

/** Zod's own words speak of "input"; these say what to write instead. */
function inWords(issue: z.core.$ZodIssue): string {
  const { message } = issue
  if (message.startsWith('Invalid option: expected one of ')) {
    return `must be one of ${message.slice('Invalid option: expected one of '.length).replaceAll('|', ', ')}`
  }
  if (!message.startsWith('Invalid input: expected ')) return message
  const [expected = '', received] = message.slice('Invalid input: expected '.length).split(', received ')
  if (received === 'undefined') return `is required (${expected})`
  return received === undefined ? `must be ${expected}` : `must be ${expected}, not ${received}`
}

/**
 * Everything that a schema found wrong, as one text: `components[0].components[1].url: must be an https link; content: …`.
 * Holds the names of fields and never their values, so that it may be logged and sent. At most five faults are told.
 */
export function explain(error: { readonly issues: readonly z.core.$ZodIssue[] }): string {
  const texts = error.issues.map((issue) => {
    const where = place(issue.path)
    return where === '' ? inWords(issue) : `${where}: ${inWords(issue)}`
  })
  const told = texts.slice(0, 5).join('; ')
  return texts.length > 5 ? `${told}; and ${texts.length - 5} more` : told
}

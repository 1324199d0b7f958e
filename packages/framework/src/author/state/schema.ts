/** A schema's result: its output, or its issues. */
export type Checked<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] }

/** Any schema of the standard that zod, valibot and arktype share (standardschema.dev). It must accept its own output: a stored value is checked again when it is read. */
export interface Schema<T, Input = unknown> {
  readonly '~standard': {
    readonly validate: (value: unknown) => Checked<T> | Promise<Checked<T>>
    /** Its input type, if its library provides it. */
    readonly types?: { readonly input: Input } | undefined
  }
}

/** The schema's output, or its problems: a sentence for each field. */
export async function checkWith<T>(schema: Schema<T>, value: unknown): Promise<{ value: T } | { problem: string }> {
  const checking = schema['~standard'].validate(value)
  const checked = checking instanceof Promise ? await checking : checking
  if (!checked.issues) return { value: checked.value }
  return { problem: misfitTexts(checked.issues, value).join('; ') }
}

/** A schema's problem at one path of a value. */
export interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A value may have a thousand problems, and the first few are enough. */
const MAX_FIELDS = 3
const MAX_SHOWN = 40

/**
 * A sentence for each invalid field, and the number of further ones: `books.Emma.due must be a string, but is missing`.
 * `secret`: texts are described by their length alone.
 */
export function misfitTexts(issues: readonly Issue[], value: unknown, { secret = false } = {}): string[] {
  // Two problems of the same field are reported once.
  const fields = new Map<string, Issue>()
  for (const issue of issues) {
    const field = issue.path?.map((step) => String(keyOf(step))).join('.') ?? ''
    if (!fields.has(field)) fields.set(field, issue)
  }
  const reported = [...fields].slice(0, MAX_FIELDS)
  const texts = reported.map(([field, { message, path }]) => sentence(field, message, shown(at(value, path), secret)))
  const more = fields.size - texts.length
  return more === 0 ? texts : [...texts, `${more} more ${more === 1 ? 'field is' : 'fields are'} not valid`]
}

/** Each library has its own texts; those of zod and valibot for a wrong type, and texts that begin with "must", become one sentence. */
function sentence(field: string, message: string, is: string): string {
  const name = field === '' ? 'it' : cut(field, 100)
  const expected = /^Invalid \w+: [Ee]xpected (.+?)(?:(?:,| but) received .*)?$/s.exec(message)?.[1]
  if (expected !== undefined) return `${name} must be ${inWords[expected] ?? expected}, but is ${is}`
  if (/^must\b/.test(message)) return `${name} ${message}, but is ${is}`
  if (message === 'Invalid input') return `${name} is not valid: ${is}`
  const unknown = /^Unrecognized keys?: (.+)$/s.exec(message)?.[1]
  if (unknown !== undefined) return `${name} has unknown fields: ${unknown}`
  return `${name} is ${is}: ${lowerFirst(message)}`
}

const inWords: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a date',
}

function at(value: unknown, path: Issue['path'] = []): unknown {
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<PropertyKey, unknown>)[keyOf(step)]
  }
  return value
}

function shown(value: unknown, secret: boolean): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') {
    const { length } = [...value]
    if (secret && length > 0) return `a string of ${length} ${length === 1 ? 'character' : 'characters'}`
    return JSON.stringify(cut(value, MAX_SHOWN))
  }
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  if (value instanceof Date) return 'a date'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? `${value}` : `a ${typeof value}`
}

const keyOf = (step: PropertyKey | { readonly key: PropertyKey }): PropertyKey =>
  typeof step === 'object' ? step.key : step

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`)

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

import { BotwrightError } from '@botwright/protocol/facts'
import type { EnvSchema, EnvValues, Variables } from '../../author/env-schema.ts'

/**
 * Checks the variables that a configuration declares and returns their values. An empty one counts as not set, because
 * `env.example`, which `.env` is copied from, leaves values empty. Throws `ERR_CONFIG` with the name, the problem and
 * the fix for each invalid one, never a value.
 */
export function checkEnv(schema: EnvSchema, variables: Variables, file: string): EnvValues {
  const values: Record<string, string> = {}
  for (const name of Object.keys(schema.shape)) {
    const value = variables[name]
    if (value !== undefined && value !== '') values[name] = value
  }
  const { success, data, error } = parse(schema, values, file)
  if (!success) {
    const reported = new Set<string>()
    const facts = (error?.issues ?? []).flatMap(({ path, message }) => {
      const name = String(path[0] ?? '')
      // One line for each variable, even with several issues.
      if (name !== '' && reported.has(name)) return []
      reported.add(name)
      if (name === '') return `${file}: env: ${withoutValues(message, values)}`
      if (!(name in values)) return `${name} is not set: add ${name}=… to .env (${file} declares it in env)`
      return `${name} does not match env in ${file} (${withoutValues(message, values)}): correct it in .env`
    })
    throw new BotwrightError('ERR_CONFIG', [...new Set(facts)].join('\n'))
  }
  const checked = Object(data) as Record<string, unknown>
  const notPlain = Object.keys(checked).find((name) => !isPlain(checked[name]))
  if (notPlain !== undefined)
    throw new BotwrightError(
      'ERR_CONFIG',
      `${file}: env: ${notPlain} has a value that cannot be passed to a worker thread: use a string, number, boolean, date or list`,
    )
  return checked
}

/** The names of the variables whose values are hidden in the log: all except those with `.meta({ public: true })`. */
export const hiddenNames = (schema: EnvSchema): string[] =>
  Object.keys(schema.shape).filter((name) => !isPublic(schema.shape[name]))

function parse(schema: EnvSchema, values: object, file: string): ReturnType<EnvSchema['safeParse']> {
  try {
    return schema.safeParse(values)
  } catch (error) {
    const reason = error instanceof Error ? withoutValues(error.message, values) : 'it threw'
    throw new BotwrightError('ERR_CONFIG', `${file}: env cannot be checked (${reason}): use a schema without promises`)
  }
}

/** Messages of custom rules may quote the value that they reject. */
function withoutValues(message: string, values: object): string {
  return Object.values(values).reduce<string>(
    (text, value: string) => (value.length < 3 ? text : text.replaceAll(value, '…')),
    message,
  )
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol') return false
  if (typeof value !== 'object' || value === null || value instanceof Date) return true
  if (Array.isArray(value)) return value.every(isPlain)
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain)
}

interface Field {
  meta?: () => { public?: unknown } | undefined
  def?: { innerType?: unknown }
}

/** `.default(…)` and `.optional()` wrap a field, so its metadata may be on an inner one. */
function isPublic(field: unknown): boolean {
  for (let at = field as Field | undefined; typeof at === 'object'; at = at.def?.innerType as Field | undefined)
    if (at.meta?.()?.public === true) return true
  return false
}

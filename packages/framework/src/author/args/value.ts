import type { Checked, Schema } from '../state/schema.ts'
import { phrase } from '../texts/phrase.ts'
import { arg, type Arg, misfit } from './arg.ts'

/** How an argument that a schema reads is told to people. */
export interface ValueOptions {
  /** What is to be typed, as the end of "must be …"; otherwise the schema's own description, or its own words for what is wrong. */
  expects?: string
  /** Something that could be typed. */
  example?: string
}

/** A schema, with what zod's `.describe()` says of it. */
interface Described extends Schema<unknown> {
  readonly description?: string | undefined
}

/** What a schema gives. */
type Given<S> = S extends Schema<infer T> ? T : never

/**
 * One word, read by a schema of zod, or of another library that keeps to standardschema.dev: `value(z.email())`,
 * `value(z.coerce.date())`. A schema of numbers or booleans is given those. One of zod that is `.optional()`, or has a `.default(…)`,
 * may be left out.
 */
export function value<S extends Described>(schema: S, { expects, example }: ValueOptions = {}): Arg<Given<S>> {
  const told = expects ?? descriptionOf(schema)
  const read = (checked: Checked<unknown>): Given<S> => {
    if (!checked.issues) return checked.value as Given<S>
    const [issue] = checked.issues
    throw misfit(told === undefined && issue ? phrase('args.invalid', { reason: lowerFirst(issue.message) }) : '')
  }
  const made = arg<Given<S>>({
    expects: told ?? phrase('kind.any'),
    ...(example !== undefined && { example }),
    read: (typed) => {
      const checked = firstFit(schema, typed)
      // A schema that asks somewhere else answers later.
      return checked instanceof Promise ? checked.then(read) : read(checked)
    },
  })
  if (!mayMiss(schema)) return made
  // Asked each time: a default may be a function.
  const absent = {
    get value() {
      const checked = schema['~standard'].validate(undefined)
      return (checked instanceof Promise ? checked.then(read) : read(checked)) as Given<S>
    },
  }
  return { ...made, absent }
}

/** What zod tells of a schema: its kind, and the one inside of it. */
interface Zod {
  readonly description?: string | undefined
  readonly _zod?: { readonly def: { readonly type: string; readonly in?: Zod; readonly innerType?: Zod } }
}

/** What `.describe()` says of a schema, or of the one inside of `.optional()` and the like. */
function descriptionOf(schema: Zod): string | undefined {
  const def = schema._zod?.def
  const inner = def?.in ?? def?.innerType
  return schema.description ?? (inner && descriptionOf(inner))
}

/** Whether a schema of zod takes nothing at all; not one that only makes something of everything, as `z.coerce.string()` does. */
function mayMiss(schema: Zod): boolean {
  const def = schema._zod?.def
  if (!def || def.type === 'nonoptional') return false
  const inner = def.in ?? def.innerType
  return ['optional', 'default', 'prefault'].includes(def.type) || (inner !== undefined && mayMiss(inner))
}

/** The word as a text; if that does not fit, as the number or the boolean that it shows. */
function firstFit<T>(schema: Schema<T>, typed: string): Checked<T> | Promise<Checked<T>> {
  const validate = (value: unknown) => schema['~standard'].validate(value)
  const first = validate(typed)
  if (first instanceof Promise || !first.issues) return first
  const other = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(typed)
    ? Number(typed)
    : { true: true, false: false }[typed.toLowerCase()]
  if (other === undefined) return first
  const better = (second: Checked<T>) => (!second.issues || isOfType(first.issues[0]) ? second : first)
  const second = validate(other)
  return second instanceof Promise ? second.then(better) : better(second)
}

/** What the schema says of the number is nearer to the matter than that it wants one. */
const isOfType = (issue: object | undefined): boolean =>
  issue !== undefined && 'code' in issue && issue.code === 'invalid_type'

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

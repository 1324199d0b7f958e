import { plainNumber } from '@botwright/protocol/typed-text'
import type { Checked, Schema } from '../../author/state/schema.ts'
import { phrase } from '../../author/texts/phrase.ts'
import { arg, type Arg, misfit } from '../../author/args/arg.ts'

/** How an argument with a schema is described to users. */
export interface ValueOptions {
  /** The expected input, as the end of "must be …"; default: the schema's own description, or its error text. */
  expects?: string
  /** A sample input. */
  example?: string
}

/** A schema, with its zod description. */
interface Described extends Schema<unknown> {
  readonly description?: string | undefined
}

/** The output of a schema. */
type Given<S> = S extends Schema<infer T> ? T : never

/**
 * One word, parsed by a zod schema, or of another library that implements standardschema.dev: `value(z.email())`,
 * `value(z.coerce.date())`. Schemas of numbers or booleans receive those. A zod schema that is `.optional()`, or has a `.default(…)`,
 * makes the argument optional.
 */
export function value<S extends Described>(schema: S, { expects, example }: ValueOptions = {}): Arg<Given<S>> {
  const expected = expects ?? descriptionOf(schema)
  const read = (checked: Checked<unknown>): Given<S> => {
    if (!checked.issues) return checked.value as Given<S>
    const [issue] = checked.issues
    throw misfit(expected === undefined && issue ? phrase('args.invalid', { reason: lowerFirst(issue.message) }) : '')
  }
  const made = arg<Given<S>>({
    expects: expected ?? phrase('kind.any'),
    ...(example !== undefined && { example }),
    read: (typed) => {
      const checked = firstFit(schema, typed)
      // An async schema answers later.
      return checked instanceof Promise ? checked.then(read) : read(checked)
    },
  })
  if (!mayMiss(schema)) return made
  // Called each time: a default may be a function.
  const absent = {
    get value() {
      const checked = schema['~standard'].validate(undefined)
      return (checked instanceof Promise ? checked.then(read) : read(checked)) as Given<S>
    },
  }
  return { ...made, absent }
}

/** The kind of a zod schema, and its inner one. */
interface Zod {
  readonly description?: string | undefined
  readonly _zod?: { readonly def: { readonly type: string; readonly in?: Zod; readonly innerType?: Zod } }
}

/** The `.describe()` text of a schema, or of the one inside `.optional()` and the like. */
function descriptionOf(schema: Zod): string | undefined {
  const def = schema._zod?.def
  const inner = def?.in ?? def?.innerType
  return schema.description ?? (inner && descriptionOf(inner))
}

/** Whether a zod schema accepts no input at all; false for one that converts any input, such as `z.coerce.string()`. */
function mayMiss(schema: Zod): boolean {
  const def = schema._zod?.def
  if (!def || def.type === 'nonoptional') return false
  const inner = def.in ?? def.innerType
  return ['optional', 'default', 'prefault'].includes(def.type) || (inner !== undefined && mayMiss(inner))
}

/** The word as a text; if that does not fit, as the number or boolean that it represents. */
function firstFit<T>(schema: Schema<T>, typed: string): Checked<T> | Promise<Checked<T>> {
  const validate = (value: unknown) => schema['~standard'].validate(value)
  const first = validate(typed)
  if (first instanceof Promise || !first.issues) return first
  const number = plainNumber(typed)
  const other = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(number)
    ? Number(number)
    : { true: true, false: false }[typed.toLowerCase()]
  if (other === undefined) return first
  const better = (second: Checked<T>) => (!second.issues || isOfType(first.issues[0]) ? second : first)
  const second = validate(other)
  return second instanceof Promise ? second.then(better) : better(second)
}

/** The schema's error about the number is more useful than that a number is required. */
const isOfType = (issue: object | undefined): boolean =>
  issue !== undefined && 'code' in issue && issue.code === 'invalid_type'

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

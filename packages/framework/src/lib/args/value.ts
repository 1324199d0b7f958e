import type { z } from 'zod'
import { arg, type Arg, misfit } from './arg.ts'

export interface ValueOptions {
  /** What is to be typed, as the end of "must be …"; otherwise the schema's own description, or its own words for what is wrong. */
  expects?: string
  /** Something that could be typed. */
  example?: string
}

/** One word, read by a zod schema: `value(z.email())`, `value(z.coerce.date())`. A schema of numbers or booleans is given those. */
export function value<S extends z.ZodType>(schema: S, { expects, example }: ValueOptions = {}): Arg<z.output<S>> {
  const told = expects ?? schema.description
  const read = (result: z.ZodSafeParseResult<z.output<S>>): z.output<S> => {
    if (result.success) return result.data
    const [issue] = result.error.issues
    throw misfit(told === undefined && issue ? `does not fit: ${lowerFirst(issue.message)}` : '')
  }
  return arg<z.output<S>>({
    expects: told ?? 'a value of the right form',
    ...(example !== undefined && { example }),
    read: (typed) => {
      try {
        return read(firstFit(schema, typed))
      } catch (error) {
        // A schema that asks somewhere else answers later.
        if (!isAsyncRefusal(error)) throw error
        return schema.safeParseAsync(typed).then(read)
      }
    },
  })
}

/** The word as a text; if that does not fit, as the number or the boolean that it shows. */
function firstFit<S extends z.ZodType>(schema: S, typed: string): z.ZodSafeParseResult<z.output<S>> {
  const first = schema.safeParse(typed)
  if (first.success) return first
  const other = /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(typed)
    ? Number(typed)
    : { true: true, false: false }[typed.toLowerCase()]
  if (other === undefined) return first
  const second = schema.safeParse(other)
  // What the schema says of the number is nearer to the matter than that it wants one.
  return second.success || first.error.issues[0]?.code === 'invalid_type' ? second : first
}

/** By its name: the class would load zod. */
const isAsyncRefusal = (error: unknown): boolean =>
  error instanceof Error && error.constructor.name === '$ZodAsyncError'

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

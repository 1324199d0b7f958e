import { BotwrightError } from '@botwright/protocol/facts'
import type { Context } from '../context.ts'
import type { Words } from '../texts/words.ts'

/** The reply to a refused user; `''` refuses without a reply. A function receives the context, and may be async. */
export type RefusalText = Words | ((ctx: Context) => string | Promise<string>)

/** Options of a built-in guard. */
export interface GuardOptions {
  /** Replaces the guard's own text. */
  refusal?: RefusalText
}

/** Lets an event through to its handler, or refuses it with a reason. */
export interface Guard {
  /** For lists of commands and routes, after "This is …": "only in servers". */
  readonly describe: Words
  /** Whether it counts uses. Counting guards are checked last: after other guards and middleware, and after args and params were read. */
  readonly counts: boolean
  /** The permissions that the bot itself needs to pass, as roles name them. */
  readonly needs?: readonly string[]
  /** True lets the event through. `place` is the guard's file and number, the same after a restart. */
  check(ctx: Context, place: string): Verdict | Promise<Verdict>
}

/** Allows only events in servers: after it, `ctx.server_id` is a `string`. */
export interface ServerGuard extends Guard {
  readonly where: 'server'
}

/** Allows only direct messages: after it, `ctx.server_id` is `null`. */
export interface DmGuard extends Guard {
  readonly where: 'dm'
}

/** The type of `ctx.server_id` after guards. */
export type ServerIdBehind<G extends readonly unknown[]> =
  Extract<G[number], ServerGuard> extends never
    ? Extract<G[number], DmGuard> extends never
      ? string | null
      : null
    : string

/**
 * A refusal with its text. `warnAuthor` warns of a guard that no user can pass, and returns the fact for the recording. It is called only if the
 * event is refused because of it. `leftMs`: when the guard would let the user through again.
 */
export type Verdict = true | { refusal: RefusalText; leftMs?: number; warnAuthor?: () => Promise<string> }

/**
 * Creates your own guard. Only `true` lets the event through; an error in `check` is an error of the handler, which then does not run.
 * `refusal` is the reply to a refused user: private on a click, a reply on a command, none elsewhere.
 */
export function guard(options: {
  // Completes "This is …" in lists: "only for people who have voted".
  describe: Words
  check: (ctx: Context) => boolean | Promise<boolean>
  refusal: RefusalText
}): Guard {
  const { describe, refusal } = options
  const refuse = (fact: string) => {
    throw new BotwrightError('ERR_DEFINITION', `guard: ${fact}`)
  }
  if (!isWords(describe)) refuse("describe must be a string, such as 'only for people who have voted'")
  if (typeof options.check !== 'function') refuse('check must be a function that returns true or false')
  if (!isWords(refusal) && typeof refusal !== 'function') refuse("refusal must be a string; '' refuses silently")
  const verdict = (passes: boolean): Verdict => passes === true || { refusal }
  return {
    describe,
    counts: false,
    check(ctx) {
      const passes = options.check(ctx)
      return typeof passes === 'boolean' ? verdict(passes) : Promise.resolve(passes).then(verdict)
    },
  }
}

/** A text, or a phrase of the framework. */
const isWords = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && 'text' in value)

// The problem with a list of guards, if any. `field`: its name. `least`: how many it must have.
export function guardsProblem(guards: unknown, field = 'guards', least = 0): string | undefined {
  if (guards === undefined) return undefined
  if (!Array.isArray(guards)) return `${field} must be a list: ${field}: [serverOnly()]`
  // With no guard, everyone would pass.
  if (guards.length < least) return `${field} must have at least one guard`
  for (const [i, one] of (guards as unknown[]).entries()) {
    if (typeof one === 'function') return `${field}[${i}] is a function: call it, as in ${field}: [serverOnly()]`
    if (typeof (one as Guard | null)?.check !== 'function')
      return `${field}[${i}] must be created with guard({ … }), serverOnly() or another guard`
  }
  return undefined
}

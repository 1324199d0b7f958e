import { BotwrightError } from '@botwright/protocol/facts'
import type { Context } from '../context.ts'
import type { Words } from '../texts/words.ts'

/** What somebody is told who may not pass; `''` refuses without a word. A function knows the context, and may look something up. */
export type RefusalText = Words | ((ctx: Context) => string | Promise<string>)

/** What is replaced in a guard that comes with the framework. */
export interface GuardOptions {
  /** Told instead of the guard's own text. */
  refusal?: RefusalText
}

/** Lets an event through to its handler, or says why not. */
export interface Guard {
  /** For the list of commands and of routes, behind "This is …": "only in servers". */
  readonly describe: Words
  /** It counts what passes, so it is asked last: behind the other guards and middleware, and after args and params were read. */
  readonly counts: boolean
  /** True lets the event through. `place` is the guard's file and number, the same at the next start. */
  check(ctx: Context, place: string): Verdict | Promise<Verdict>
}

/** Lets through what happens in a server alone: behind it `ctx.server_id` is a `string`. */
export interface ServerGuard extends Guard {
  readonly where: 'server'
}

/** Lets through direct messages alone: behind it `ctx.server_id` is `null`. */
export interface DmGuard extends Guard {
  readonly where: 'dm'
}

/** What `ctx.server_id` is behind guards. */
export type ServerIdBehind<G extends readonly Guard[]> =
  Extract<G[number], ServerGuard> extends never
    ? Extract<G[number], DmGuard> extends never
      ? string | null
      : null
    : string

/** A refusal is its text, made when it is told. `tellOddity` warns the author of what nobody can pass by: told only when the refusal is what becomes of the event. */
export type Verdict = true | { refusal: RefusalText; tellOddity?: () => Promise<void> }

/**
 * Makes a guard of one's own. Only `true` lets the event through; what `check` throws is an error of the handler, which does not run then.
 * `refusal` is told to whoever may not pass: privately on a click, as a reply on a command, nobody elsewhere.
 */
export function guard(options: {
  // Behind "This is …", for lists: "only for people who have voted".
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

/** What is wrong with the guards of a file, if anything. */
export function guardsProblem(guards: unknown): string | undefined {
  if (guards === undefined) return undefined
  if (!Array.isArray(guards)) return 'guards must be a list: guards: [serverOnly()]'
  for (const [i, one] of (guards as unknown[]).entries()) {
    if (typeof one === 'function') return `guards[${i}] is a function: call it, as in guards: [serverOnly()]`
    if (typeof (one as Guard | null)?.check !== 'function')
      return `guards[${i}] must be created with guard({ … }), serverOnly() or another guard`
  }
  return undefined
}

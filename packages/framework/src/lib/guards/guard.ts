import type { Context } from '../context/context.ts'

/** What somebody is told who may not pass; `''` refuses without a word. A function knows the context: its person, its language. */
export type RefusalText = string | ((ctx: Context) => string)

/** What is replaced in a guard that comes with the framework. */
export interface GuardOptions {
  /** Told instead of the guard's own text. */
  refusal?: RefusalText
}

/** Lets an event through to its handler, or says why not. */
export interface Guard {
  /** For the list of commands and of routes, behind "This is …": "only in servers". */
  readonly describe: string
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

/** A refusal is its text. `tellOddity` warns the author of what nobody can pass by: told only when the refusal is what becomes of the event. */
export type Verdict = true | { refusal: string; tellOddity?: () => Promise<void> }

export const textOf = (refusal: RefusalText, ctx: Context): string =>
  typeof refusal === 'string' ? refusal : refusal(ctx)

/**
 * Makes a guard of one's own. Only `true` lets the event through; what `check` throws is an error of the handler, which does not run then.
 * `refusal` is told to whoever may not pass: privately on a click, as a reply on a command, nobody elsewhere.
 */
export function guard(options: {
  /** Behind "This is …", for lists: "only for people who have voted". */
  describe: string
  check: (ctx: Context) => boolean | Promise<boolean>
  refusal: RefusalText
}): Guard {
  const { describe, refusal } = options
  const verdict = (ctx: Context, passes: boolean): Verdict => passes === true || { refusal: textOf(refusal, ctx) }
  return {
    describe,
    counts: false,
    check(ctx) {
      const passes = options.check(ctx)
      return typeof passes === 'boolean' ? verdict(ctx, passes) : Promise.resolve(passes).then((p) => verdict(ctx, p))
    },
  }
}

/** What is wrong with the guards of a file, if anything. */
export function guardsProblem(guards: unknown): string | undefined {
  if (guards === undefined) return undefined
  if (!Array.isArray(guards)) return 'guards must be a list: guards: [serverOnly()]'
  for (const [i, one] of (guards as unknown[]).entries()) {
    if (typeof one === 'function') return `guards[${i}] is a function: call it, as in guards: [serverOnly()]`
    if (typeof (one as Guard | null)?.check !== 'function')
      return `guards[${i}] must be made with guard({ … }), serverOnly() or another of them`
  }
  return undefined
}

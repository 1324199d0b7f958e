// When a file of an event runs: `match`, `when` and `otherwise` of `event(…)`.

import { BotwrightError } from '@botwright/protocol/facts'
import type { Context } from '../../author/context.ts'
import type { Conditions, TextMatch } from '../../author/definition.ts'
import { guard, type Guard, guardsProblem } from '../../author/guards/guard.ts'

/** The pattern that an event can match. */
export type PatternOf<T> = T extends 'message' ? RegExp | string | undefined : undefined

/** The names of the groups in a pattern: those of a text are known, those of a `RegExp` are not. */
type GroupNames<P> = P extends `${string}(?<${infer After}` ? FirstName<After> | GroupNames<After> : never
/** After `(?<`: a name, or the rest of `(?<=…)` or `(?<!…)`. */
type FirstName<After> = After extends `${'=' | '!'}${string}` ? never : NameIn<After>
type NameIn<After> = After extends `${infer Name}>${string}` ? Name : never

/** `ctx.match`, if there is a pattern. */
export type MatchIf<P> = P extends string ? { readonly match: TextMatch<GroupNames<P>> } : RegExpMatchIf<P>
type RegExpMatchIf<P> = P extends RegExp ? { readonly match: TextMatch } : unknown

/** A guard as a condition, or a function that returns `true` if the file runs. */
export type Condition<C> = Guard | ((ctx: C) => boolean | Promise<boolean>)

/** Conditions as a list. */
export type ConditionList<W> = W extends readonly unknown[] ? W : readonly [W]

export const otherwiseRule = 'only if no other file of this event runs'

interface Given {
  match?: unknown
  when?: unknown
  otherwise?: unknown
}

/** Reads the conditions of `event(…)`. Undefined if there are none. Throws `ERR_DEFINITION`. */
export function conditionsOf({ match, when, otherwise }: Given): Conditions | undefined {
  if (match === undefined && when === undefined && otherwise === undefined) return undefined
  if (otherwise !== undefined && otherwise !== true) refuse('otherwise must be true: leave it out instead')
  const pattern = match === undefined ? undefined : patternOf(match)
  const guards = guardsOf(when)
  return {
    rules: [
      ...(pattern ? [`only for texts that match ${String(pattern)}`] : []),
      ...guards.map(({ describe }) => describe),
      ...(otherwise ? [otherwiseRule] : []),
    ],
    ...(pattern && { pattern, match: (text: string) => matchOf(pattern, text) }),
    when: guards,
    ...(otherwise && { otherwise }),
  }
}

function patternOf(match: unknown): RegExp {
  if (typeof match !== 'string' && !(match instanceof RegExp)) refuse('match must be a RegExp, such as /\\bhello\\b/i')
  if (match === '') refuse('match must not be empty: every text would match')
  try {
    const pattern = new RegExp(match)
    if (pattern.global || pattern.sticky)
      refuse('match: remove the flags g and y, because ctx.match is the first match')
    return pattern
  } catch (error) {
    if (error instanceof BotwrightError) throw error
    return refuse(`match: ${(error as Error).message}`)
  }
}

function guardsOf(when: unknown): Guard[] {
  if (when === undefined) return []
  const list: readonly unknown[] = Array.isArray(when) ? when : [when]
  const guards = list.map((one) => (typeof one === 'function' ? ofFunction(one as (ctx: Context) => unknown) : one))
  const problem = guardsProblem(guards, 'when', 1)
  if (problem !== undefined) refuse(problem)
  const all = guards as Guard[]
  if (all.some(({ counts }) => counts)) refuse('when cannot contain a cooldown, which counts uses: move it to guards')
  return all
}

function ofFunction(check: (ctx: Context) => unknown): Guard {
  const name = check.name === '' || check.name === 'when' ? 'its condition' : check.name
  return guard({
    describe: `only if ${name} returns true`,
    check(ctx) {
      const passes = check(ctx)
      if (isGuard(passes)) throw new Error(`when: ${name} is a function: call it, as in when: mentioned()`)
      return passes as boolean | Promise<boolean>
    },
    refusal: '',
  })
}

const isGuard = (value: unknown): boolean => typeof value === 'object' && value !== null && 'check' in value

function refuse(fact: string): never {
  throw new BotwrightError('ERR_DEFINITION', fact)
}

/** The first match of a pattern in a text. */
function matchOf(pattern: RegExp, text: string): TextMatch | undefined {
  const found = pattern.exec(text)
  if (!found) return undefined
  const groups = Object.entries(found.groups ?? {}).map(([name, value]) => [name, (value as string | undefined) ?? ''])
  const parts = Array.from(found, (part: string | undefined) => part ?? '')
  return Object.assign(parts, { index: found.index, groups: Object.fromEntries(groups) as Record<string, string> })
}

import type { Context } from '../context/context.ts'
import { type Guard, type GuardOptions, textOf, type Verdict } from './guard.ts'

/** Passes when one of the guards does; they are asked in order, those behind it not at all. */
export function anyOf(guards: readonly Guard[], { refusal }: GuardOptions = {}): Guard {
  const describe = guards.map((one) => one.describe).join(', or ')
  return {
    describe,
    counts: guards.some((one) => one.counts),
    async check(ctx, place) {
      for (const [i, one] of guards.entries()) if ((await one.check(ctx, `${place}.${i}`)) === true) return true
      return { refusal: textOf(refusal ?? `This is ${describe}.`, ctx) }
    },
  }
}

/** Passes when all of the guards do; the first that does not tells why, unless there is a text for all. */
export function allOf(guards: readonly Guard[], { refusal }: GuardOptions = {}): Guard {
  // A use that another guard refuses is not counted.
  const inOrder = [...guards.entries()].sort(([, a], [, b]) => Number(a.counts) - Number(b.counts))
  return {
    describe: guards.map((one) => one.describe).join(' and '),
    counts: guards.some((one) => one.counts),
    async check(ctx, place) {
      for (const [i, one] of inOrder) {
        const verdict = await one.check(ctx, `${place}.${i}`)
        if (verdict !== true) return refusal === undefined ? verdict : { refusal: textOf(refusal, ctx) }
      }
      return true
    },
  }
}

/** Passes when the guard does not. */
export function not(guard: Guard, { refusal }: GuardOptions = {}): Guard {
  const describe = `not ${guard.describe}`
  const turned = (verdict: Verdict, ctx: Context): Verdict =>
    verdict !== true || { refusal: textOf(refusal ?? `This is ${describe}.`, ctx) }
  return {
    describe,
    counts: guard.counts,
    check(ctx, place) {
      const verdict = guard.check(ctx, `${place}.0`)
      return verdict instanceof Promise ? verdict.then((one) => turned(one, ctx)) : turned(verdict, ctx)
    },
  }
}

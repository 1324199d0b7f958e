import { BotwrightError } from '@botwright/protocol/facts'
import { type Guard, type GuardOptions, guardsProblem, type Verdict } from '../../author/guards/guard.ts'
import { phrase, rules } from '../../author/texts/phrase.ts'
import type { Words } from '../../author/texts/words.ts'

/** Passes if one of the guards passes; they are checked in order, up to the first that passes. */
export function anyOf(guards: readonly Guard[], { refusal }: GuardOptions = {}): Guard {
  checkGuards('anyOf', guards)
  const describe = rules(
    guards.map((one) => one.describe),
    'or',
  )
  return {
    describe,
    counts: guards.some((one) => one.counts),
    async check(ctx, place) {
      const warnings: (() => Promise<string>)[] = []
      for (const [i, one] of guards.entries()) {
        const verdict = await one.check(ctx, `${place}.${i}`)
        if (verdict === true) return true
        if (verdict.warnAuthor) warnings.push(verdict.warnAuthor)
      }
      const refused = { refusal: refusal ?? phrase('guard.refused', { rule: describe }) }
      if (warnings.length === 0) return refused
      return { ...refused, warnAuthor: async () => (await Promise.all(warnings.map((warn) => warn()))).join('; ') }
    },
  }
}

/** Passes if all of the guards pass; the first that refuses gives the reason, unless there is one text for all. */
export function allOf(guards: readonly Guard[], { refusal }: GuardOptions = {}): Guard {
  checkGuards('allOf', guards)
  // A use that another guard refuses is not counted.
  const inOrder = [...guards.entries()].sort(([, a], [, b]) => Number(a.counts) - Number(b.counts))
  return {
    describe: rules(
      guards.map((one) => one.describe),
      'and',
    ),
    counts: guards.some((one) => one.counts),
    needs: guards.flatMap((one) => one.needs ?? []),
    async check(ctx, place) {
      for (const [i, one] of inOrder) {
        const verdict = await one.check(ctx, `${place}.${i}`)
        if (verdict !== true) return refusal === undefined ? verdict : { ...verdict, refusal }
      }
      return true
    },
  }
}

/** Passes if the guard refuses. */
export function not(guard: Guard, { refusal }: GuardOptions = {}): Guard {
  const describe = phrase('guard.not', { rule: withoutOnly(guard.describe) })
  const turned = (verdict: Verdict): Verdict | Promise<Verdict> => {
    if (verdict === true) return { refusal: refusal ?? phrase('guard.refused', { rule: describe }) }
    return verdict.warnAuthor ? verdict.warnAuthor().then(() => true as const) : true
  }
  return {
    describe,
    counts: guard.counts,
    check(ctx, place) {
      const verdict = guard.check(ctx, `${place}.0`)
      return verdict instanceof Promise ? verdict.then(turned) : turned(verdict)
    },
  }
}

function checkGuards(name: string, guards: unknown): void {
  const problem = guardsProblem(guards, 'guards', 1)
  if (problem !== undefined) throw new BotwrightError('ERR_DEFINITION', `${name}: ${problem}`)
}

/** "only in servers" becomes "in servers". */
function withoutOnly(rule: Words): Words {
  if (typeof rule === 'string') return rule.replace(/^only /, '')
  if ('rules' in rule) return { ...rule, rules: rule.rules.map(withoutOnly) }
  return ('text' in rule && rule.text === 'guard.only' && (rule.values?.['rule'] as Words)) || rule
}

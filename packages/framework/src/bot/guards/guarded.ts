import { BoundedMap } from '@botwright/protocol/facts'
import { type BotServices, servicesOf } from '../services.ts'
import type { Context } from '../../author/context.ts'
import { tell } from '../failure.ts'
import { isThenable } from '../../author/outgoing.ts'
import { inEnglish } from '../../author/texts/phrase.ts'
import type { Guard, Verdict } from '../../author/guards/guard.ts'

/** Runs a file for one event. */
export type HandlerFunction = (ctx: Context) => unknown

/** Asks guards in their order before `next`; the first refusal ends it. Without guards it is `next` itself. */
export function guarded(
  guards: readonly (readonly [place: string, guard: Guard])[],
  next: HandlerFunction,
): HandlerFunction {
  if (guards.length === 0) return next
  const from = (ctx: Context, first: number): unknown => {
    for (let i = first; i < guards.length; i++) {
      const [place, guard] = guards[i]!
      const verdict = guard.check(ctx, place)
      if (isThenable(verdict))
        return verdict.then((one) => (one === true ? from(ctx, i + 1) : refuse(ctx, place, guard, one)))
      if (verdict !== true) return refuse(ctx, place, guard, verdict)
    }
    return next(ctx)
  }
  return (ctx) => from(ctx, 0)
}

/** A file's guards with their places, those that count apart from the others. */
export function placedGuards(guards: readonly Guard[] = [], file: string) {
  const placed = guards.map((guard, i) => [`${file}#${i}`, guard] as const)
  return { asked: placed.filter(([, { counts }]) => !counts), counting: placed.filter(([, { counts }]) => counts) }
}

/** A refusal is no error: the person is told, the log only at debug. What the event has used up of other cooldowns is given back. */
async function refuse(
  ctx: Context,
  place: string,
  { describe }: Guard,
  verdict: Exclude<Verdict, true>,
): Promise<void> {
  ctx.log.debug({ event: ctx.envelope.id, user: ctx.user.id, guard: place }, `refused: ${inEnglish(describe)}`)
  await ctx.cooldown.refund()
  await verdict.tellOddity?.()
  // On a click it costs nothing of the message budget, and the service limits clicks itself (§8).
  if (verdict.refusal === '' || (ctx.kind !== 'button' && toldEnough(ctx, place))) return
  const text = typeof verdict.refusal === 'function' ? await verdict.refusal(ctx) : verdict.refusal
  if (text !== '') await tell(ctx, text, servicesOf(ctx).log)
}

const TOLD_A_MINUTE = 3
const MINUTE_MS = 60_000
const MOST_KEPT = 1000
const tellings = new WeakMap<BotServices, BoundedMap<string, number[]>>()

/** Whoever repeats a refused command is answered three times a minute: a flood of refusals would use up the messages of all others (§8). */
function toldEnough(ctx: Context, place: string): boolean {
  const around = servicesOf(ctx)
  let told = tellings.get(around)
  if (!told) tellings.set(around, (told = new BoundedMap<string, number[]>(MOST_KEPT)))
  const key = `${place} ${ctx.user.id}`
  const nowMs = around.clock.monotonic()
  const recent = (told.get(key) ?? []).filter((atMs) => atMs > nowMs - MINUTE_MS)
  if (recent.length >= TOLD_A_MINUTE) return true
  told.set(key, [...recent, nowMs])
  return false
}

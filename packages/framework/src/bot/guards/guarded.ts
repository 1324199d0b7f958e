import { type BotServices, servicesOf, useShared } from '../services.ts'
import type { Context } from '../../author/context.ts'
import { inputOf } from '../context/handler-context.ts'
import { noteRefusal } from '../context/refusals.ts'
import { isUsedUp, notifyUser } from '../report-failure.ts'
import { isThenable } from '../../author/outgoing.ts'
import { inEnglish } from '../../author/texts/phrase.ts'
import type { Guard, Verdict } from '../../author/guards/guard.ts'
import type { StateStore } from '../../author/ports.ts'
import type { Entry } from '../../author/files/entries.ts'
import type { SwitchedOff } from '../../link/switched-off.ts'

/** Runs a file for one event. */
export type HandlerFunction = (ctx: Context) => unknown

/** Runs guards in order before `next` and stops at the first refusal. Returns `next` itself if there are no guards. */
export function guarded(
  guards: readonly (readonly [place: string, guard: Guard])[],
  next: HandlerFunction,
): HandlerFunction {
  if (guards.length === 0) return next
  const from = (ctx: Context, first: number): unknown => {
    for (let i = first; i < guards.length; i++) {
      const [place, guard] = guards[i]!
      let verdict
      try {
        verdict = guard.check(ctx, place)
      } catch (error) {
        return failed(ctx, error)
      }
      if (isThenable(verdict))
        return verdict.then(
          (one) => (one === true ? from(ctx, i + 1) : refuse(ctx, place, guard, one)),
          (error: unknown) => failed(ctx, error),
        )
      if (verdict !== true) return refuse(ctx, place, guard, verdict)
    }
    return next(ctx)
  }
  return (ctx) => (inputOf(ctx) ? next(ctx) : from(ctx, 0))
}

/** Returns the guard that refuses everyone if a file is switched off; nothing if it is not. `runs`: the store of its durable runs, which go on. */
export type OffGuards = (
  off: readonly SwitchedOff[],
  ctx: Context,
  entry: Entry,
  runs: StateStore | false | undefined,
) => Promise<readonly (readonly [string, Guard])[]>

/** A file's guards with their places. Guards that count uses are separate. */
export function placedGuards(guards: readonly Guard[] = [], file: string) {
  const placed = guards.map((guard, i) => [`${file}#${i}`, guard] as const)
  return { others: placed.filter(([, { counts }]) => !counts), counting: placed.filter(([, { counts }]) => counts) }
}

/** The handler does not run: refunds the uses that cooldowns have counted. */
async function failed(ctx: Context, error: unknown): Promise<never> {
  // A store that fails has failed the guard, too.
  await ctx.cooldown.refund().catch(() => {})
  throw error
}

/** Notifies the user of a refusal, logs it at debug level, and refunds the uses of other cooldowns. */
async function refuse(
  ctx: Context,
  place: string,
  { describe }: Guard,
  verdict: Exclude<Verdict, true>,
): Promise<void> {
  await ctx.cooldown.refund()
  const warning = verdict.warnAuthor && (await verdict.warnAuthor())
  const reason = `${inEnglish(describe)}${warning === undefined ? '' : `; ${warning}`}`
  noteRefusal(ctx, reason)
  ctx.log.debug({ event: ctx.envelope.id, user: ctx.user.id, guard: place }, `refused: ${reason}`)
  // Answers to clicks do not count against the message budget, and the service limits clicks itself (§8).
  if (verdict.refusal === '') return
  const isLimited = (bot: BotServices) => isUsedUp(bot, `${place} ${ctx.user.id}`)
  if (ctx.kind !== 'button' && (await useShared(servicesOf(ctx), `refusal ${place}`, isLimited))) return
  const text = typeof verdict.refusal === 'function' ? await verdict.refusal(ctx) : verdict.refusal
  if (text !== '') await notifyUser(ctx, text, servicesOf(ctx).log)
}

import { BotwrightError, BoundedMap } from '@botwright/protocol/facts'
import { type BotServices, servicesOf, useShared } from '../../bot/services.ts'
import type { Context } from '../../author/context.ts'
import { type Duration, durationMs, durationText, durationWords } from '../../author/time/duration.ts'
import { phrase } from '../../author/texts/phrase.ts'
import type { Guard } from '../../author/guards/guard.ts'
import { passCooldown } from '../../author/passed-cooldowns.ts'
import { runKeyOf } from '../../bot/context/bot-context.ts'
import { countUse, type Kept, refundUse } from './uses.ts'

/** How a `cooldown` counts uses, and its refusal. */
export interface CooldownOptions {
  /** Whose uses are counted together. Default `'user'`. */
  per?: 'user' | 'channel' | 'server' | 'global'
  /** The number of uses in the time. Default 1. */
  uses?: number
  /** Cooldowns with the same name share one count, each with its own limit. Default: each cooldown in the code counts separately. */
  name?: string
  /** Replaces "Wait 7 s, then try again."; `left` is the time in words. */
  refusal?: string | ((ctx: Context, facts: { left: string; leftMs: number }) => string | Promise<string>)
}

const rules = {
  user: 'cooldown.per_user',
  channel: 'cooldown.per_channel',
  server: 'cooldown.per_server',
  global: 'cooldown.in_all',
} as const
const MAX_USES = 1000
/** How long a used-up cooldown is refused without asking the store: another worker may have refunded a use since. */
const TRUSTED_MS = 1000
const MAX_USED_UP = 10_000

/** Cooldowns without a use left, by key, so that a flood asks the store once a second. */
type UsedUp = BoundedMap<string, { untilMs: number; askAgainMs: number }>
const usedUpByBot = new WeakMap<BotServices, UsedUp>()

/** How much the counts of each name keep. Cooldowns of another bot in the process make them keep more than necessary, which changes nothing else. */
const keptByName = new Map<string, Kept>()

function keptFor(name: string | undefined, rule: Kept): Kept {
  if (name === undefined) return rule
  const kept = keptByName.get(name) ?? { ...rule }
  kept.everyMs = Math.max(kept.everyMs, rule.everyMs)
  kept.uses = Math.max(kept.uses, rule.uses)
  keptByName.set(name, kept)
  return kept
}

function usedUpOf(services: BotServices): UsedUp {
  let usedUp = usedUpByBot.get(services)
  if (!usedUp) usedUpByBot.set(services, (usedUp = new BoundedMap(MAX_USED_UP)))
  return usedUp
}

/**
 * Allows `uses` in a time: `cooldown('10s')`, `cooldown('1d', { per: 'server', uses: 3 })`. Counted in the bot's store, so it
 * survives restarts and is shared by all workers. Events that another guard or invalid args stop are not counted, and a handler
 * refunds a use with `await ctx.cooldown.refund()`.
 */
export function cooldown(every: Duration, options: CooldownOptions = {}): Guard {
  const everyMs = durationMs(every, 'cooldown: its time', 'ERR_DEFINITION')
  const { per = 'user', uses = 1, name, refusal } = options
  if (everyMs <= 0) throw new BotwrightError('ERR_DEFINITION', 'cooldown: the time must be greater than 0')
  if (!Number.isInteger(uses) || uses < 1 || uses > MAX_USES)
    throw new BotwrightError('ERR_DEFINITION', `cooldown: uses must be a whole number from 1 to ${MAX_USES}`)
  if (!Object.hasOwn(rules, per))
    throw new BotwrightError('ERR_DEFINITION', `cooldown: per must be ${Object.keys(rules).join(', ')}`)
  const kept = keptFor(name, { everyMs, uses })
  return {
    describe: phrase(rules[per], { count: uses, time: durationWords(everyMs) }),
    counts: true,
    async check(ctx, place) {
      const services = servicesOf(ctx)
      const key = `cooldown:${name ?? place}:${per}:${subjectOf(ctx, per)}`
      const run = runKeyOf(ctx)
      const { redelivered } = ctx
      const leftMs = await useShared(services, key, (bot) => use(bot, key, { everyMs, uses, kept, run, redelivered }))
      if (leftMs <= 0) {
        passCooldown(ctx.cooldown, () => {
          usedUpOf(services.run?.bot ?? services).delete(usedUpKey(key, { everyMs, uses }))
          return refundUse(services.store, key, { kept, run })
        })
        return true
      }
      if (typeof refusal === 'function')
        return { leftMs, refusal: (one) => refusal(one, { left: durationText(leftMs), leftMs }) }
      return { leftMs, refusal: refusal ?? phrase('cooldown.wait', { left: durationWords(leftMs) }) }
    },
  }
}

/** Cooldowns that share a count are used up separately. */
const usedUpKey = (key: string, { everyMs, uses }: Kept): string => `${key}:${everyMs}:${uses}`

/** Counts a use and returns 0, or returns the milliseconds until the next use is allowed. */
async function use(
  services: BotServices,
  key: string,
  { redelivered, ...how }: Kept & { kept: Kept; run: string; redelivered: boolean },
): Promise<number> {
  const { store, clock } = services
  const usedUp = usedUpOf(services)
  const [nowMs, elapsedMs] = [clock.now(), clock.monotonic()]
  const own = usedUpKey(key, how)
  const known = usedUp.get(own)
  // A redelivered event may pass.
  if (known && elapsedMs < known.untilMs && elapsedMs < known.askAgainMs && !redelivered)
    return known.untilMs - elapsedMs
  const leftMs = await countUse(store, key, { ...how, nowMs })
  if (leftMs > 0) usedUp.set(own, { untilMs: elapsedMs + leftMs, askAgainMs: elapsedMs + TRUSTED_MS })
  return leftMs
}

function subjectOf(ctx: Context, per: NonNullable<CooldownOptions['per']>): string {
  if (per === 'user') return ctx.user.id
  if (per === 'global') return ''
  // Direct messages have only a channel.
  if (per === 'server' && ctx.server_id !== null) return ctx.server_id
  return ctx.channel_id ?? ''
}

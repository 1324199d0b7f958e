import { BotwrightError, BoundedMap } from '@botwright/protocol/facts'
import { type BotServices, servicesOf } from '../services.ts'
import type { Context } from '../../author/context.ts'
import { type Duration, durationMs, durationText, durationWords } from '../../author/duration.ts'
import { phrase } from '../../author/texts/phrase.ts'
import type { Guard } from '../../author/guards/guard.ts'
import { passCooldown } from '../../author/passed-cooldowns.ts'
import { refundUse, countUse } from './uses.ts'

/** How a `cooldown` counts uses, and its refusal. */
export interface CooldownOptions {
  /** Whose uses are counted together. Default `'user'`. */
  per?: 'user' | 'channel' | 'server' | 'global'
  /** The number of uses in the time. Default 1. */
  uses?: number
  /** Cooldowns with the same name share one count. Default: each cooldown in the code counts separately. */
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
  return {
    describe: phrase(rules[per], { count: uses, time: durationWords(everyMs) }),
    counts: true,
    async check(ctx, place) {
      const services = servicesOf(ctx)
      const { store, clock } = services
      const key = `cooldown:${name ?? place}:${per}:${subjectOf(ctx, per)}`
      const usedUp = usedUpOf(services)
      const nowMs = clock.now()
      const known = usedUp.get(key)
      let leftMs = (known?.untilMs ?? 0) - nowMs
      // A redelivered event may pass.
      if (leftMs <= 0 || nowMs >= known!.askAgainMs || ctx.redelivered) {
        const eventId = ctx.envelope.id
        leftMs = await countUse(store, key, { everyMs, uses, nowMs, eventId })
        if (leftMs <= 0) {
          passCooldown(ctx.cooldown, () => {
            usedUp.delete(key)
            return refundUse(store, key, { everyMs, eventId })
          })
          return true
        }
        usedUp.set(key, { untilMs: nowMs + leftMs, askAgainMs: nowMs + TRUSTED_MS })
      }
      if (typeof refusal === 'function')
        return { leftMs, refusal: (one) => refusal(one, { left: durationText(leftMs), leftMs }) }
      return { leftMs, refusal: refusal ?? phrase('cooldown.wait', { left: durationWords(leftMs) }) }
    },
  }
}

function subjectOf(ctx: Context, per: NonNullable<CooldownOptions['per']>): string {
  if (per === 'user') return ctx.user.id
  if (per === 'global') return ''
  // Direct messages have only a channel.
  if (per === 'server' && ctx.server_id !== null) return ctx.server_id
  return ctx.channel_id ?? ''
}

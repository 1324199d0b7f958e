import { BotwrightError } from '@botwright/protocol/facts'
import { type Surroundings, surroundingsOf } from '../context/bot-context.ts'
import type { Context } from '../context/context.ts'
import { type Duration, durationMs, durationText } from '../duration.ts'
import type { StateStore } from '../ports.ts'
import type { Guard } from './guard.ts'

/** How the uses of a `cooldown` are counted, and what its refusal says. */
export interface CooldownOptions {
  /** Whose uses are counted together; `'user'`. */
  per?: 'user' | 'channel' | 'server' | 'global'
  /** How many fit into the time; 1. */
  uses?: number
  /** Handlers that name the same one share it. Otherwise each place where a cooldown is written counts for itself. */
  name?: string
  /** Told instead of "Wait 7 s, then try again."; `left` is how long, in words. */
  refusal?: string | ((ctx: Context, facts: { left: string; leftMs: number }) => string)
}

const whose = {
  user: 'for each person',
  channel: 'for each channel',
  server: 'for each server',
  global: 'for everybody together',
}
const MOST_USES = 1000

/**
 * At most `uses` in a time: `cooldown('10s')`, `cooldown('1d', { per: 'server', uses: 3 })`. Counted in the bot's store, so that it
 * holds over restarts and among workers. What another guard or a mistake in the args keeps from running is not counted, and a handler
 * gives a use back with `await ctx.cooldown.refund()`.
 */
export function cooldown(every: Duration, options: CooldownOptions = {}): Guard {
  const everyMs = durationMs(every, 'cooldown: its time', 'ERR_DEFINITION')
  const { per = 'user', uses = 1, name, refusal } = options
  if (everyMs <= 0) throw new BotwrightError('ERR_DEFINITION', 'cooldown: its time must be greater than 0')
  if (!Number.isInteger(uses) || uses < 1 || uses > MOST_USES)
    throw new BotwrightError('ERR_DEFINITION', `cooldown: uses must be a whole number from 1 to ${MOST_USES}`)
  if (!Object.hasOwn(whose, per))
    throw new BotwrightError('ERR_DEFINITION', `cooldown: per must be ${Object.keys(whose).join(', ')}`)
  return {
    describe: `limited to ${uses === 1 ? 'one use' : `${uses} uses`} in ${durationText(everyMs)} ${whose[per]}`,
    counts: true,
    async check(ctx, place) {
      const around = surroundingsOf(ctx)
      const { store, clock } = around
      const key = `cooldown:${name ?? place}:${per}:${subjectOf(ctx, per)}`
      const full = fullOf(around)
      const nowMs = clock.now()
      const known = full.get(key)
      let leftMs = (known?.untilMs ?? 0) - nowMs
      // A flood asks the store once a second. A repeated event may pass.
      if (leftMs <= 0 || nowMs >= known!.askAgainMs || ctx.redelivered) {
        const eventId = ctx.envelope.id
        leftMs = await take(store, key, { everyMs, uses, nowMs, eventId })
        if (leftMs <= 0) {
          ctx.cooldown.passed(() => {
            full.delete(key)
            return giveBack(store, key, { everyMs, eventId })
          })
          return true
        }
        remember(full, key, { untilMs: nowMs + leftMs, askAgainMs: nowMs + TRUSTED_MS }, nowMs)
      }
      const facts = { left: durationText(leftMs), leftMs }
      if (typeof refusal === 'function') return { refusal: refusal(ctx, facts) }
      return { refusal: refusal ?? `Wait ${facts.left}, then try again.` }
    },
  }
}

function subjectOf(ctx: Context, per: NonNullable<CooldownOptions['per']>): string {
  if (per === 'user') return ctx.user.id
  if (per === 'global') return ''
  // In direct messages the channel is all there is.
  if (per === 'server' && ctx.server_id !== null) return ctx.server_id
  return ctx.channel_id ?? ''
}

type Use = readonly [atMs: number, eventId: number]

/** Counts a use when there is room: 0; otherwise tells in how many milliseconds there will be. An event counts once, however often it is delivered. */
async function take(
  store: StateStore,
  key: string,
  { everyMs, uses, nowMs, eventId }: { everyMs: number; uses: number; nowMs: number; eventId: number },
): Promise<number> {
  for (;;) {
    const stored = await store.get(key)
    const now = readUses(stored?.value).filter(([atMs]) => atMs > nowMs - everyMs)
    if (now.some(([, id]) => id === eventId)) return 0
    const first = now[now.length - uses]
    // A clock that was set back may have left uses in the future.
    if (first) return Math.min(first[0] + everyMs - nowMs, everyMs)
    const next = [...now, [nowMs, eventId] as const]
    const options = { expected: stored?.version ?? 0, expiresAtMs: nowMs + everyMs }
    // Somebody was quicker: perhaps there is no room any more.
    if (await store.set(key, next, options)) return 0
  }
}

/** Takes an event's use out again. */
async function giveBack(
  store: StateStore,
  key: string,
  { everyMs, eventId }: { everyMs: number; eventId: number },
): Promise<void> {
  for (;;) {
    const stored = await store.get(key)
    if (!stored) return
    const { version: expected } = stored
    const others = readUses(stored.value).filter(([, id]) => id !== eventId)
    const last = others.at(-1)
    const done = last
      ? await store.set(key, others, { expected, expiresAtMs: last[0] + everyMs })
      : await store.delete(key, { expected })
    if (done) return
  }
}

const readUses = (value: unknown): Use[] =>
  Array.isArray(value)
    ? value.filter((use): use is Use => Array.isArray(use) && typeof use[0] === 'number').sort(([a], [b]) => a - b)
    : []

interface Filled {
  untilMs: number
  /** From then on the store is asked again: another worker may have given a use back. */
  askAgainMs: number
}
type Full = Map<string, Filled>
const MOST_FULL = 10_000
const TRUSTED_MS = 1000
const fullOnes = new WeakMap<Surroundings, Full>()

function fullOf(around: Surroundings): Full {
  let full = fullOnes.get(around)
  if (!full) fullOnes.set(around, (full = new Map<string, Filled>()))
  return full
}

function remember(full: Full, key: string, filled: Filled, nowMs: number): void {
  full.delete(key)
  for (const [oldest, one] of full) {
    if (one.untilMs > nowMs && full.size < MOST_FULL) break
    full.delete(oldest)
  }
  full.set(key, filled)
}

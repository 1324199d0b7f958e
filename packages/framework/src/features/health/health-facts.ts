import type { Clock } from '@botwright/clock'
import type { Config } from '../../author/config/config.ts'
import type { BotFacts, ObservedBot } from '../../runtime/ports/bot-facts.ts'

/** The state and counts of a bot at one moment, read only for a request to the health endpoint. */
export interface HealthFacts {
  state: 'starting' | 'running' | 'stopping'
  nowMs: number
  monotonicMs: number
  delivery: 'poll' | 'webhook' | 'both'
  /** `limits.waiting`. */
  mostWaiting: number
  /** Undefined until the bot reads events. */
  bot?: BotFacts
}

export const lagSeconds = ({ bot, nowMs }: HealthFacts): number => {
  const createdMs = bot?.stats.oldest === undefined ? NaN : Date.parse(bot.stats.oldest)
  return Number.isNaN(createdMs) ? 0 : Math.max(0, (nowMs + bot!.serviceAheadMs - createdMs) / 1000)
}

/** Undefined before the first poll. */
export const pollAgeSeconds = ({ bot, monotonicMs }: HealthFacts): number | undefined =>
  bot?.stats.lastPollMs === undefined ? undefined : (monotonicMs - bot.stats.lastPollMs) / 1000

/** Provides the facts for the health endpoint, some of which are missing while the bot starts. */
export class HealthWatch {
  state: HealthFacts['state'] = 'starting'
  /** Undefined until the bot reads events. */
  bot: ObservedBot | undefined
  /** In a cluster: the one of all instances, once this one has joined. */
  clock: Clock
  readonly #config: Config

  constructor(config: Config, clock: Clock) {
    this.#config = config
    this.clock = clock
  }

  readonly facts = (): HealthFacts => {
    const { delivery, limits } = this.#config
    const { clock } = this
    return {
      state: this.state,
      nowMs: clock.now(),
      monotonicMs: clock.monotonic(),
      delivery,
      mostWaiting: limits.waiting,
      ...(this.bot && { bot: this.bot.facts() }),
    }
  }
}

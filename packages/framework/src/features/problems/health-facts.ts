import { type Clock, within } from '@botwright/clock'
import type { Config } from '../../author/config/config.ts'
import type { StateStore } from '../../author/ports.ts'
import { type BotEnd, type BotFacts, type ObservedBot, READ_MS } from '../../runtime/ports/bot-facts.ts'
import { countHeld } from '../quiet-hours/held-messages.ts'

/** The state and counts of a bot at one moment, read only for a request to the health endpoint. */
export interface HealthFacts {
  state: 'starting' | 'running' | 'stopping'
  nowMs: number
  monotonicMs: number
  /** While the bot starts: why the service has not answered yet. */
  unanswered?: string | undefined
  /** Why the bot stops by itself. */
  end?: BotEnd | undefined
  /** In a cluster: how far the clock of this host is ahead of the one that all instances share. */
  hostAheadMs?: number
  delivery: 'poll' | 'webhook' | 'both'
  /** `limits.waiting`. */
  mostWaiting: number
  /** Undefined until the bot reads events. */
  bot?: BotFacts
  /** The messages that wait for the end of quiet hours. Rejects if the store does not respond. */
  held?: () => Promise<number>
}

/** To milliseconds. */
export const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000

export const lagSeconds = ({ bot, nowMs }: HealthFacts): number => {
  const createdMs = bot?.stats.oldest === undefined ? NaN : Date.parse(bot.stats.oldest)
  return Number.isNaN(createdMs) ? 0 : Math.max(0, (nowMs + bot!.serviceAheadMs - createdMs) / 1000)
}

/** How far the clock of this host is ahead of the service: by the dates of its responses, else by its events. Undefined before the first response. */
export const clockAheadSeconds = ({ bot, hostAheadMs = 0 }: HealthFacts): number | undefined =>
  bot && (hostAheadMs - (bot.rest.dateAheadMs ?? bot.serviceAheadMs)) / 1000

/** Undefined before the first poll. */
export const pollAgeSeconds = ({ bot, monotonicMs }: HealthFacts): number | undefined =>
  bot?.stats.lastPollMs === undefined ? undefined : (monotonicMs - bot.stats.lastPollMs) / 1000

/** Provides the facts for the health endpoint, some of which are missing while the bot starts. */
export class HealthWatch {
  state: HealthFacts['state'] = 'starting'
  unanswered: string | undefined
  end: BotEnd | undefined
  /** Undefined until the bot reads events. */
  bot: ObservedBot | undefined
  /** In a cluster: the one of all instances, once this one has joined. */
  clock: Clock
  readonly #config: Config
  readonly #host: Clock

  constructor(config: Config, clock: Clock) {
    this.#config = config
    this.clock = this.#host = clock
  }

  readonly facts = (): HealthFacts => {
    const { delivery, limits } = this.#config
    const { clock } = this
    return {
      state: this.state,
      unanswered: this.unanswered,
      end: this.end,
      nowMs: clock.now(),
      monotonicMs: clock.monotonic(),
      hostAheadMs: this.#host.now() - clock.now(),
      delivery,
      mostWaiting: limits.waiting,
      ...(this.bot && { bot: this.bot.facts(), held: heldOf(this.#host, this.bot.store) }),
    }
  }
}

const heldOf = (clock: Clock, store: StateStore) => () => within(clock, READ_MS, () => countHeld(store))

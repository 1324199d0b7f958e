import type { Clock } from '@botwright/clock'
import type { Config } from '../../author/config/config.ts'
import type { HealthFacts } from './health-facts.ts'

/** Where health finds what it tells: a bot that starts has little of it yet. */
export class HealthWatch {
  state: HealthFacts['state'] = 'starting'
  /** Reads the bot's figures; undefined while there are none. */
  bot: (() => NonNullable<HealthFacts['bot']>) | undefined
  /** Awaited before the figures are told: what has to be asked for. */
  refresh: (() => Promise<void>) | undefined
  readonly #config: Config
  readonly #clock: Clock

  constructor(config: Config, clock: Clock) {
    this.#config = config
    this.#clock = clock
  }

  readonly facts = (): HealthFacts => {
    const { delivery, limits } = this.#config
    const clock = this.#clock
    return {
      state: this.state,
      nowMs: clock.now(),
      monotonicMs: clock.monotonic(),
      delivery,
      mostWaiting: limits.waiting,
      ...(this.bot && { bot: this.bot() }),
    }
  }
}

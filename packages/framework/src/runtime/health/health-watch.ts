import type { Clock } from '@botwright/clock'
import type { Config } from '../../author/config/config.ts'
import type { HealthFacts } from './health-facts.ts'

/** Provides the facts for the health endpoint, some of which are missing while the bot starts. */
export class HealthWatch {
  state: HealthFacts['state'] = 'starting'
  /** Reads the bot's counts; undefined until there are any. */
  bot: (() => NonNullable<HealthFacts['bot']>) | undefined
  /** Awaited before each response: loads what needs a request. */
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

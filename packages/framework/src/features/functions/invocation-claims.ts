import { randomUUID } from 'node:crypto'
import type { Clock } from '@botwright/clock'
import type { Claims } from '../../link/claims.ts'

/** The claims of one invocation. Its name ends with the latest time at which it runs, so that others need not ask for it. */
export class InvocationClaims implements Claims {
  readonly id: string
  readonly opens: () => Promise<unknown>
  readonly #clock: Clock
  readonly #running = new Set<string>()

  /** `opens`: loads the bot. Runs of one that cannot be loaded would use up their attempts. */
  constructor(clock: Clock, untilMs: number, opens: () => Promise<unknown>) {
    this.opens = opens
    this.id = `${randomUUID()}@${untilMs}`
    this.#clock = clock
  }

  async isActive(machine: string | undefined, key?: string): Promise<boolean> {
    if (machine === this.id) return key === undefined || this.#running.has(key)
    return Number(machine?.split('@')[1]) > this.#clock.now()
  }

  begin(key: string): void {
    this.#running.add(key)
  }

  end(key: string): void {
    this.#running.delete(key)
  }
}

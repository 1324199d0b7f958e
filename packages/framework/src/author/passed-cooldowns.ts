/** The method that records a counted use. Shared by every copy of this package in one process: the guard of a plugin may come from another copy. */
const passed: unique symbol = Symbol.for('botwright.cooldown.passed') as never

/** Records a use that a guard has counted, with the function that refunds it. */
export let passCooldown: (cooldowns: PassedCooldowns, giveBack: () => Promise<void>) => void

/** The cooldowns that an event has passed on its way to the handler: `ctx.cooldown`. */
export class PassedCooldowns {
  static {
    passCooldown = (cooldowns, giveBack) => cooldowns[passed](giveBack)
  }

  readonly #uses: (() => Promise<void>)[] = []

  /** Refunds this use, as if the event had not happened: for a handler that did nothing. Without a cooldown it does nothing. */
  async refund(): Promise<void> {
    const failed: unknown[] = []
    for (const giveBack of this.#uses.splice(0))
      try {
        await giveBack()
      } catch (error) {
        // It can be refunded again.
        this.#uses.push(giveBack)
        failed.push(error)
      }
    if (failed.length > 0) throw failed[0]
  }

  protected [passed](giveBack: () => Promise<void>): void {
    this.#uses.push(giveBack)
  }
}

/** The cooldowns that an event has passed on its way to the handler: `ctx.cooldown`. */
export class PassedCooldowns {
  readonly #uses: (() => Promise<void>)[] = []

  /** Gives this use back, as if the event had not come: when there was nothing to buy. Without a cooldown it does nothing. */
  async refund(): Promise<void> {
    for (const giveBack of this.#uses.splice(0)) await giveBack()
  }

  /** A guard has counted the event, and can take it back. For guards that count. */
  passed(giveBack: () => Promise<void>): void {
    this.#uses.push(giveBack)
  }
}

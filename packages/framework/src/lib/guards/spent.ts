/** What counting guards have noted for one event, and how each takes it back. */
const noted = new WeakMap<object, (() => Promise<void>)[]>()

/** A guard has counted this event as a use. */
export function noteUse(ctx: object, giveBack: () => Promise<void>): void {
  const uses = noted.get(ctx)
  if (uses) uses.push(giveBack)
  else noted.set(ctx, [giveBack])
}

/** Takes back every use that was noted for an event. */
export async function giveBackUses(ctx: object): Promise<void> {
  const uses = noted.get(ctx)
  if (!uses) return
  noted.delete(ctx)
  for (const giveBack of uses) await giveBack()
}

/** What a handler may do about the cooldowns that its event has passed: `ctx.cooldown`. */
export interface PassedCooldowns {
  /** Gives this use back, as if the event had not come: when there was nothing to buy. Without a cooldown it does nothing. */
  refund(): Promise<void>
}

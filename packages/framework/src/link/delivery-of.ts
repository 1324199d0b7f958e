import type { BotEvent, Delivery } from '@botwright/events/event'

/** Structurally a Delivery: importing its class would load the journal's database into every worker. */
export const deliveryOf = (event: BotEvent, attempt = 1): Delivery => ({
  ...{ id: event.id, event, attempt },
  redelivered: attempt > 1,
})

import type { Delivery } from '@botwright/events/event'

/** A command, button, event file, task or route that is switched off. */
export interface SwitchedOff {
  // `/team` with its subcommands, `/team add`, `buttons/vote`, `events/message/links`, `tasks/digest` or `POST /github`.
  name: string
  // Only there. Left out: everywhere.
  server?: { id: string; name: string }
  // For the people who use it.
  reason?: string
  sinceMs: number
}

/** A delivery, with what is switched off when it begins. */
export type SwitchedDelivery = Delivery & { readonly off?: readonly SwitchedOff[] }

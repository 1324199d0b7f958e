import type { StateStore } from '../../author/ports.ts'

export const heldPrefix = 'held-message:'
/** The ids of messages that were held, with those of the messages that were sent for them. */
export const sentPrefix = 'held-message-sent:'
/** Of both. */
const anyPrefix = 'held-message'

/** Whether a message may be held, or was within the last days: then the feature is needed without quiet hours, too. */
export async function mayHaveHeld(store: StateStore): Promise<boolean> {
  // Rows that cannot be read now are read again by the feature.
  const rows = await store.list(anyPrefix, { limit: 1 }).catch(() => undefined)
  return rows?.length !== 0
}

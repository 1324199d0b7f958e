import { lowerId } from '@botwright/protocol/facts'
import type { Input, Output } from '@botwright/protocol/shapes'
import type { StateStore } from '../../author/ports.ts'
import { type HeldMessage, isHeldId } from './held-messages.ts'
import { heldPrefix, sentPrefix } from './held-prefix.ts'

type BulkDelete = Input<'messages.bulkDelete'>
type Deleted = Output<'messages.bulkDelete'>

/** Deletes those that are held. `next` deletes the others, and those that were sent since. */
export async function deleteMany(
  store: StateStore,
  input: BulkDelete,
  next: (input: BulkDelete) => Promise<unknown>,
): Promise<Deleted> {
  const [deleted, skipped]: [string[], string[]] = [[], []]
  /** The ids for the service, with those under which the caller knows them. */
  const known = new Map<string, string>()
  for (const given of input.ids) {
    const end = isHeldId(given) ? await drop(store, lowerId(given)) : { sent: given }
    if (typeof end === 'object') known.set(end.sent, given)
    else (end === 'deleted' ? deleted : skipped).push(given)
  }
  if (known.size === 0) return { deleted, skipped }
  const others = (await next({ ...input, ids: [...known.keys()] })) as Deleted | undefined
  // Some services respond with counts (decisions row 41).
  const joined = (own: string[], ids: unknown) =>
    Array.isArray(ids)
      ? [...own, ...(ids as string[]).map((id) => known.get(id) ?? id)]
      : typeof ids === 'number'
        ? own.length + ids
        : own
  return {
    ...others,
    deleted: joined(deleted, others?.deleted),
    skipped: joined(skipped, others?.skipped),
  } as Deleted
}

/** Deletes a held message, unless it is being sent. Returns the id of one that was sent. */
async function drop(store: StateStore, id: string): Promise<'deleted' | 'skipped' | { sent: string }> {
  for (;;) {
    const found = await store.get(heldPrefix + id)
    const sent = await store.get(sentPrefix + id)
    if (sent) return { sent: sent.value as string }
    if ((found?.value as HeldMessage | undefined)?.state !== 'waiting') return 'skipped'
    if (await store.delete(heldPrefix + id, { expected: found!.version })) return 'deleted'
  }
}

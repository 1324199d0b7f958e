import type { StateStore } from '../../author/ports.ts'
import { asidePrefix, type AsideRequest, isStoredRequest, rowPrefix, type StoredRequest } from './stored-requests.ts'

/** A request that was set aside. Its body is not shown. */
export interface SetAsideRequest {
  id: string
  /** Its method and the path of its route. */
  route: string
  path: string
  received_at: string
  reason: string
}

/** The requests that were set aside, the oldest first. */
export async function setAsideRequests(store: StateStore): Promise<SetAsideRequest[]> {
  return (await store.list(asidePrefix)).flatMap(({ key, value }) => {
    if (!isStoredRequest(value)) return []
    const { route, request, atMs, reason = '' } = value as AsideRequest
    const received_at = new Date(atMs).toISOString()
    return { id: key.slice(asidePrefix.length), route, path: request.path, received_at, reason }
  })
}

/** Listing requests reads their bodies, so the count ends here. */
const MOST_COUNTED = 100

export const countSetAside = async (store: StateStore): Promise<number> =>
  (await store.list(asidePrefix, { limit: MOST_COUNTED })).length

/** Lets a request that was set aside run again, before later ones of its queue. False: it is not set aside. */
export async function runAgain(store: StateStore, id: string): Promise<boolean> {
  const key = rowPrefix + id
  for (;;) {
    // Read first: a bot that begins to run it again takes it off the list before it changes this row.
    const known = await store.get(key)
    const found = await store.get(asidePrefix + id)
    if (!isStoredRequest(found?.value)) return false
    if ((known?.value as StoredRequest | undefined)?.again) break
    const { reason: _, machine: _machine, failures: _failures, ...request } = found.value as AsideRequest
    const row: StoredRequest = { ...request, state: 'waiting', again: true }
    // A row of another kind is about to go: its process is setting the request aside, or died while it did.
    if (await store.set(key, row, { expected: known?.version ?? 0 })) break
  }
  // If this process dies before, the bot does it.
  await store.delete(asidePrefix + id)
  return true
}

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
  const found = await store.get(asidePrefix + id)
  if (!isStoredRequest(found?.value)) return false
  const { reason: _, machine: _machine, failures: _failures, ...request } = found.value as AsideRequest
  const row: StoredRequest = { ...request, state: 'waiting', again: true }
  const key = rowPrefix + id
  const isNew = await store.set(key, row, { expected: 0 })
  // A row of another kind is about to go: the bot is still setting the request aside.
  if (!isNew && !((await store.get(key))?.value as StoredRequest | undefined)?.again) return false
  // If this process dies before, the bot does it.
  await store.delete(asidePrefix + id)
  return true
}

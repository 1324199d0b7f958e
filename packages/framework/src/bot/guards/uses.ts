import type { StateStore } from '../../author/ports.ts'

type Use = readonly [atMs: number, eventId: number]

/** Counts a use and returns 0, or returns the milliseconds until the next use is allowed. Redeliveries of an event count once. */
export async function countUse(
  store: StateStore,
  key: string,
  { everyMs, uses, nowMs, eventId }: { everyMs: number; uses: number; nowMs: number; eventId: number },
): Promise<number> {
  for (;;) {
    const stored = await store.get(key)
    const now = readUses(stored?.value).filter(([atMs]) => atMs > nowMs - everyMs)
    if (now.some(([, id]) => id === eventId)) return 0
    const first = now[now.length - uses]
    // A clock that was set back may have left uses in the future.
    if (first) return Math.min(first[0] + everyMs - nowMs, everyMs)
    const next = [...now, [nowMs, eventId] as const]
    const options = { expected: stored?.version ?? 0, expiresAtMs: nowMs + everyMs }
    // If another use was stored first, read again.
    if (await store.set(key, next, options)) return 0
  }
}

/** Removes the use of an event. */
export async function refundUse(
  store: StateStore,
  key: string,
  { everyMs, eventId }: { everyMs: number; eventId: number },
): Promise<void> {
  for (;;) {
    const stored = await store.get(key)
    if (!stored) return
    const { version: expected } = stored
    const others = readUses(stored.value).filter(([, id]) => id !== eventId)
    const last = others.at(-1)
    const done = last
      ? await store.set(key, others, { expected, expiresAtMs: last[0] + everyMs })
      : await store.delete(key, { expected })
    if (done) return
  }
}

const readUses = (value: unknown): Use[] =>
  Array.isArray(value)
    ? value.filter((use): use is Use => Array.isArray(use) && typeof use[0] === 'number').sort(([a], [b]) => a - b)
    : []

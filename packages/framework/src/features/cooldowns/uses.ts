import type { StateStore } from '../../author/ports.ts'

type Use = readonly [atMs: number, run: string]

/** The uses that a count keeps: enough for every cooldown that shares it. */
export interface Kept {
  everyMs: number
  uses: number
}

/** More uses are kept, of runs that are counted at the same time. */
const AT_ONCE = 100

/** Counts a use and returns 0, or returns the milliseconds until the next use is allowed. A run counts once, also if its event is delivered again. */
export async function countUse(
  store: StateStore,
  key: string,
  { everyMs, uses, kept, nowMs, run }: { everyMs: number; uses: number; kept: Kept; nowMs: number; run: string },
): Promise<number> {
  for (;;) {
    const stored = await store.get(key)
    const options = { expected: stored?.version ?? 0, expiresAtMs: nowMs + kept.everyMs }
    const last = readUses(stored?.value).filter(([atMs]) => atMs > nowMs - kept.everyMs)
    // A clock that was set back has left uses in the future: they count as made now.
    const now = last.map(([atMs, id]): Use => [Math.min(atMs, nowMs), id])
    const own = now.findIndex(([, id]) => id === run)
    // Those after its own use were counted with it.
    const before = now.slice(0, own < 0 ? undefined : own).filter(([atMs]) => atMs > nowMs - everyMs)
    const first = before[before.length - uses]
    const next = first || own >= 0 ? now : [...now, [nowMs, run] as const].slice(-kept.uses - AT_ONCE)
    const unchanged = next === now && last.every(([atMs]) => atMs <= nowMs)
    // If another use was stored first, read again.
    if (unchanged || (await store.set(key, next, options))) return first ? first[0] + everyMs - nowMs : 0
  }
}

/** Removes the use of a run. */
export async function refundUse(
  store: StateStore,
  key: string,
  { kept, run }: { kept: Kept; run: string },
): Promise<void> {
  for (;;) {
    const stored = await store.get(key)
    if (!stored) return
    const { version: expected } = stored
    const others = readUses(stored.value).filter(([, id]) => id !== run)
    const last = others.at(-1)
    const done = last
      ? await store.set(key, others, { expected, expiresAtMs: last[0] + kept.everyMs })
      : await store.delete(key, { expected })
    if (done) return
  }
}

const readUses = (value: unknown): Use[] =>
  Array.isArray(value)
    ? value.filter((use): use is Use => Array.isArray(use) && typeof use[0] === 'number').sort(([a], [b]) => a - b)
    : []

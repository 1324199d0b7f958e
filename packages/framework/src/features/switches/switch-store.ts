import type { StateStore } from '../../author/ports.ts'
import type { SwitchedOff } from '../../link/switched-off.ts'

/** All that is off, in one value: reading it is one request. */
export const SWITCHES_KEY = 'switches:off'

/** Tries of a change that other processes overtake. */
const TRIES = 20

/** The rows of all that is off, in the order of their times. */
export const readOff = async (store: StateStore): Promise<readonly SwitchedOff[]> =>
  offOf((await store.get(SWITCHES_KEY))?.value)

/** Changes what is off. Another process may do the same at the same time. */
export async function changeOff(
  store: StateStore,
  change: (off: readonly SwitchedOff[]) => readonly SwitchedOff[],
): Promise<void> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const stored = await store.get(SWITCHES_KEY)
    const next = change(offOf(stored?.value))
    if (await store.set(SWITCHES_KEY, next, { expected: stored?.version ?? 0 })) return
  }
  throw new Error('other processes change the switches at the same time; try again')
}

/** The rows of a stored value that this version can read. */
export const offOf = (value: unknown): readonly SwitchedOff[] => (Array.isArray(value) ? value.filter(isOff) : [])

function isOff(value: unknown): value is SwitchedOff {
  if (typeof value !== 'object' || value === null) return false
  const { name, server, reason, sinceMs } = value as Record<string, unknown>
  const { id, name: title } = (server ?? {}) as Record<string, unknown>
  return (
    typeof name === 'string' &&
    typeof sinceMs === 'number' &&
    (reason === undefined || typeof reason === 'string') &&
    (server === undefined || (typeof id === 'string' && typeof title === 'string'))
  )
}

import type { StateStore } from '../../author/ports.ts'
import type { Claims } from '../../link/claims.ts'

/** Lets another process claim a row, after a claim whose write has failed. */
export async function undoClaim<T extends object>(
  { store, claims }: { store: StateStore; claims?: Claims | undefined },
  { key, former }: { key: string; former: T },
): Promise<void> {
  const found = await store.get(key)
  const value = (found?.value ?? {}) as T & { state?: unknown; machine?: string }
  const isOwn = value.state === 'running' && value.machine === claims?.id
  // A further term of this instance may have made the same claim.
  if (isOwn && !(await claims?.isActive(value.machine, key))) await store.set(key, former, { expected: found!.version })
}

// The params of buttons whose message is sent later: until then, the ones in the store may expire.

import { isSpilledId } from '../../author/buttons/custom-id.ts'
import type { StateStore } from '../../author/ports.ts'
import { paramsKey } from '../../bot/buttons/spilled-params.ts'

/** The stored params of a button, and how long they are kept once a message shows it. */
export interface KeptParams {
  key: string
  value: unknown
  forMs: number
}

/** Reads the params of a message's buttons, which the bot's code has just stored. Undefined without any. */
export async function readParams(
  store: StateStore,
  components: unknown,
  nowMs: number,
): Promise<KeptParams[] | undefined> {
  const kept: KeptParams[] = []
  for (const key of spilledIn(components).map(paramsKey)) {
    const found = await store.get(key)
    if (found?.expiresAtMs !== undefined) kept.push({ key, value: found.value, forMs: found.expiresAtMs - nowMs })
  }
  return kept.length > 0 ? kept : undefined
}

/** Stores them again, right before the message is sent. */
export async function storeParams(
  store: StateStore,
  params: readonly KeptParams[] | undefined,
  nowMs: number,
): Promise<void> {
  if (!params) return
  await Promise.all(params.map(({ key, value, forMs }) => store.set(key, value, { expiresAtMs: nowMs + forMs })))
}

function spilledIn(rows: unknown): string[] {
  const buttons = (Array.isArray(rows) ? rows : []).flatMap((row: { components?: { custom_id?: unknown }[] } | null) =>
    Array.isArray(row?.components) ? row.components : [],
  )
  return buttons.flatMap((one) =>
    typeof one?.custom_id === 'string' && isSpilledId(one.custom_id) ? one.custom_id : [],
  )
}

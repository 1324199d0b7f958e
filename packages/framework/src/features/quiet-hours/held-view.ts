import type { Config } from '../../author/config/config.ts'
import type { StateStore } from '../../author/ports.ts'
import type { HeldMessage } from './held-messages.ts'
import { heldPrefix } from './held-prefix.ts'
import { QuietTimes } from './quiet-times.ts'

/** The messages to a channel that wait for the end of quiet hours. Times are in ISO 8601. */
export interface HeldView {
  channel_id: string
  channel: string | null
  messages: number
  /** When the first of them was held. */
  since: string
  /** The end of the quiet hours; null if they have ended, and the messages are about to be sent. */
  until: string | null
}

/** The held messages by channel, those with the most first. Rejects if the store does. */
export async function heldViews(
  store: StateStore,
  { config, nowMs, limit }: { config: Pick<Config, 'quietHours' | 'env'>; nowMs: number; limit: number },
): Promise<{ total: number; channels: HeldView[] }> {
  const rows = (await store.list(heldPrefix)).map(({ value }) => value as HeldMessage)
  const times = rows.length > 0 ? new QuietTimes(config) : undefined
  const channels = new Map<string, HeldView>()
  // The keys are in the order of their creation.
  for (const { message, channel_name, heldMs, server_id } of rows) {
    const { channel_id } = message
    const known = channels.get(channel_id)
    if (known) known.messages++
    else {
      const untilMs = times?.endMs(server_id, nowMs)
      const until = untilMs === undefined ? null : iso(untilMs)
      channels.set(channel_id, { channel_id, channel: channel_name ?? null, messages: 1, since: iso(heldMs), until })
    }
  }
  const most = [...channels.values()].toSorted((a, b) => b.messages - a.messages)
  return { total: rows.length, channels: most.slice(0, limit) }
}

const iso = (ms: number): string => new Date(ms).toISOString()

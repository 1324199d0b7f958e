import { randomBytes } from 'node:crypto'
import { lowerId } from '@botwright/protocol/facts'
import type { BotProfile, Input, Message } from '@botwright/protocol/shapes'
import type { StateStore } from '../../author/ports.ts'
import type { KeptParams } from '../broadcasts/kept-params.ts'
import { heldPrefix, sentPrefix } from './held-prefix.ts'

/** A message that waits for the end of quiet hours, in the store. */
export interface HeldMessage {
  /** `sending`: its request may have left. */
  state: 'waiting' | 'running' | 'sending'
  message: Input<'messages.create'>
  /** Those of its buttons. */
  params?: KeptParams[]
  server_id: string
  channel_name?: string
  heldMs: number
  /** The end of the quiet hours, when it was held or edited. */
  untilMs?: number
  /** When it is tried again, after which time, and how often the service has refused it. */
  againMs?: number
  waitMs?: number
  refusals?: number
  /** In a cluster, the instance that sends it. */
  machine?: string
}

/** How many messages wait for the end of quiet hours, on all instances. Rejects if the store does. */
export const countHeld = async (store: StateStore): Promise<number> => (await store.list(heldPrefix)).length

/** The time in the newest id, in 1/256 of a millisecond. */
let last = 0

/** Later ids follow this one, of a process whose clock may have been ahead. */
export function followHeldId(id: string): void {
  const time = Number.parseInt(id.slice(0, 8) + id.slice(9, 13) + id.slice(16, 18), 16)
  last = Math.max(last, time)
}

/** A UUID of version 8, which the service does not use. The ids of this process are in the order of their creation. */
export function newHeldId(nowMs: number): string {
  last = Math.max(last + 1, nowMs * 256)
  const digits = last.toString(16).padStart(14, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-80${digits.slice(12)}-8000-${randomBytes(6).toString('hex')}`
}

export const isHeldId = (id: unknown): id is string =>
  typeof id === 'string' && /^[\da-f]{8}-[\da-f]{4}-80[\da-f]{2}-8000-/i.test(id)

/** The id in the channel of a message that was held. Undefined for other messages, and until it is sent. */
export const sentIdOf = async (store: StateStore, id: unknown): Promise<string | undefined> =>
  isHeldId(id) ? ((await store.get(sentPrefix + lowerId(id)))?.value as string | undefined) : undefined

/** The message as `ctx.send` returns it. */
export function heldView(
  id: string,
  { message, server_id, heldMs, untilMs = heldMs }: HeldMessage,
  me: BotProfile,
): Message & { held_until: string } {
  const { channel_id, content, embeds, components, reply_to } = message
  return {
    ...{ id, channel_id, channel_name: null, server_id, author_id: me.id, author: me.username },
    ...{ content: content ?? '', embeds: embeds ?? [] },
    ...{ components: components ?? [], reply_to_id: reply_to ?? null, attachment: null },
    ...{ mentioned: false, author_bot: true, pinned: false, edited_at: null, reactions: [] },
    ...{ created_at: new Date(heldMs).toISOString(), held_until: new Date(untilMs).toISOString() },
  }
}

/** Finds a message of a channel that was held since a time, as `ctx.send` would have returned it. */
export async function findHeld(
  store: StateStore,
  { me, channel_id, sinceMs }: { me: BotProfile; channel_id: string; sinceMs: number },
  isSame: (message: Message) => Promise<boolean>,
): Promise<Message | undefined> {
  for (const { key, value } of await store.list(heldPrefix)) {
    const held = value as HeldMessage
    if (held.heldMs < sinceMs || held.message.channel_id !== lowerId(channel_id)) continue
    const view = heldView(key.slice(heldPrefix.length), held, me)
    if (await isSame(view)) return view
  }
  return undefined
}

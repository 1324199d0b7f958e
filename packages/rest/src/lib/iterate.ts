import type { Member, Message } from '@botwright/protocol/shapes'
import { limits } from '@botwright/protocol/facts'
import type { Call, CallOptions } from './call-types.ts'

/** ISO 8601 times. */
export interface MessageRange {
  after?: string
  before?: string
}

/** The user id of a member, in either of its places (decisions row 11). */
function userId(member: Member): string | undefined {
  const { user_id, id, user } = member as { user_id?: string; id?: string; user?: { id?: string } }
  return user_id ?? id ?? user?.id
}

export async function* allMembers(call: Call, { server_id }: { server_id: string }, options?: CallOptions) {
  const limit = limits.members_page.max
  let after: string | undefined
  for (;;) {
    const { members } = await call('members.list', { server_id, limit, ...(after !== undefined && { after }) }, options)
    yield* members
    const last = members.at(-1)
    const next = last && userId(last)
    // A page that does not advance would be requested forever.
    if (members.length < limit || next === undefined || next === after) return
    after = next
  }
}

export async function* allMessages(call: Call, input: { channel_id: string } & MessageRange, options?: CallOptions) {
  const limit = limits.messages_page.max
  const forward = input.after !== undefined
  const range: MessageRange = {
    ...(forward && { after: input.after! }),
    ...(input.before !== undefined && { before: input.before }),
  }
  let known = new Set<string>()
  for (;;) {
    const page = await call('messages.list', { channel_id: input.channel_id, limit, ...range }, options)
    const ordered: Message[] = forward ? page.messages : page.messages.toReversed()
    const fresh = ordered.filter((message) => !known.has(message.id))
    yield* fresh
    const last = ordered.at(-1)
    if (last === undefined || page.messages.length < limit) return
    // Messages of one millisecond may be on two pages, so the next page overlaps by it, and known messages are skipped.
    known = new Set(ordered.map((message) => message.id))
    // A page of only known messages shares one millisecond: go past it to advance.
    const overlapMs = fresh.length === 0 ? 0 : forward ? -1 : 1
    const edge = new Date(Date.parse(last.created_at) + overlapMs).toISOString()
    if (edge === (forward ? range.after : range.before)) return
    if (forward) range.after = edge
    else range.before = edge
  }
}

/** The result of deleting messages. */
export interface DeletedMessages {
  deleted: string[]
  /** Messages that do not exist, or that the bot may not delete. */
  skipped: string[]
}

/** Deletes any number of messages, as many per call as the interface accepts (§4). */
export async function deleteMessages(
  call: Call,
  { channel_id, ids }: { channel_id: string; ids: readonly string[] },
  options?: CallOptions,
): Promise<DeletedMessages> {
  const result: DeletedMessages = { deleted: [], skipped: [] }
  const most = limits.bulk_delete.ids
  for (let from = 0; from < ids.length; from += most) {
    const part = await call('messages.bulkDelete', { channel_id, ids: ids.slice(from, from + most) }, options)
    // Some services respond with counts (decisions row 41), which name no messages.
    if (Array.isArray(part?.deleted)) result.deleted.push(...part.deleted)
    if (Array.isArray(part?.skipped)) result.skipped.push(...part.skipped)
  }
  return result
}

import type { Message } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Client, DeletedMessages } from '@botwright/rest'

/** The messages that `ctx.purge` deletes. */
export interface PurgeOptions {
  /** The number of messages to check, from the newest on. */
  last: number
  /** Selects the messages to delete. Default: all of them. */
  where?: (message: Message) => boolean
}

/** The results for the selected messages. */
export type Purged = DeletedMessages

/** Deletes the matching messages among a channel's newest ones, a hundred per call. */
export async function purge(api: Client, channel_id: string, { last, where }: PurgeOptions): Promise<Purged> {
  // Without a number, it would delete the whole channel.
  if (!(last >= 0))
    throw new BotwrightError('ERR_INVALID_REQUEST', `purge: last must be 0 or a positive number, not ${last}`)
  const ids: string[] = []
  let seen = 0
  // Nothing is deleted while the pages are read: they would shift.
  for await (const message of api.messages.all({ channel_id })) {
    if (++seen > last) break
    if (where === undefined || where(message)) ids.push(message.id)
  }
  return api.messages.deleteAll({ channel_id, ids })
}

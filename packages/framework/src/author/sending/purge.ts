import type { Message } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Client, DeletedMessages } from '@botwright/rest'

/** Which messages `ctx.purge` deletes. */
export interface PurgeOptions {
  /** How many messages to look at, from the newest on. */
  last: number
  /** Which of them go; all of them when it is left out. */
  where?: (message: Message) => boolean
}

/** What became of the messages that were to go. */
export type Purged = DeletedMessages

/** Deletes those of a channel's newest messages that fit, a hundred in each call. */
export async function purge(api: Client, channel_id: string, { last, where }: PurgeOptions): Promise<Purged> {
  // No number would be the whole channel.
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

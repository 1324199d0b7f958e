import { PeopleError } from '../../../people.ts'
import { send } from '../../state/actions.ts'
import { PersonLeft } from '../../state/api.ts'
import { changeDraft, type Draft, draftOf, isEmpty, nothing, type Post } from '../../state/drafts.ts'
import { beginSlowmode } from './posting.ts'
import { sentText } from './sent-text.ts'

/**
 * Sends what is written in a channel. The input is free for the next message at once: what the person types meanwhile never mixes with
 * what was sent. A message that the service refuses comes back into the input, or, if the person writes the next one, beside it.
 */
export function submit(channelId: string): Promise<void> {
  const { text, replyTo, isReplyGone, picture } = draftOf(channelId)
  changeDraft(channelId, nothing)
  return enqueue(channelId, { text, replyTo, isReplyGone, picture })
}

/** Sends a message again that was not sent. */
export function sendAgain(channelId: string, message: Post): Promise<void> {
  changeDraft(channelId, { unsent: draftOf(channelId).unsent.filter((each) => each !== message) })
  return enqueue(channelId, message)
}

/** Messages are sent in order: each one waits for the response to the one before it. */
async function enqueue(channelId: string, message: Post): Promise<void> {
  const before = draftOf(channelId).sending
  changeDraft(channelId, { sending: [...before, message], refusal: undefined })
  if (before.length > 0) return
  for (let next: Post | undefined = message; next; [next] = draftOf(channelId).sending) {
    const result = await post(channelId, next)
    if (!result) return
    changeDraft(channelId, { ...result, sending: draftOf(channelId).sending.slice(1) })
  }
}

/** Sends a message. Returns what changes in the draft if the service refuses it; undefined if the person has left the window. */
async function post(channelId: string, message: Post): Promise<Partial<Draft> | undefined> {
  const { text, replyTo, isReplyGone, picture } = message
  try {
    await send(channelId, await sentText(text), {
      ...(replyTo && isReplyGone !== true && { replyTo: replyTo.id }),
      ...(picture && { picture }),
    })
    beginSlowmode(channelId)
    return {}
  } catch (error) {
    // It is kept with the other drafts of that person.
    if (error instanceof PersonLeft) return undefined
    if (error instanceof PeopleError && error.retrySeconds !== undefined)
      beginSlowmode(channelId, error.retrySeconds * 1000)
    const refusal = error instanceof Error ? error.message : String(error)
    const now = draftOf(channelId)
    return isEmpty(now) ? { ...message, refusal } : { unsent: [...now.unsent, message], refusal }
  }
}

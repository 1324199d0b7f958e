import { PeopleError } from '../../../people.ts'
import { send } from '../../state/actions.ts'
import { PersonLeft } from '../../state/api.ts'
import { changeDraft, type Draft, draftOf, isEmpty, nothing, type Outgoing, without } from '../../state/drafts.ts'
import { messages } from '../../state/store.ts'
import { beginSlowmode } from './posting.ts'
import { sentText } from './sent-text.ts'

/**
 * Sends what is written in a channel. The input is free for the next message at once: what the person types meanwhile never mixes with
 * what was sent. A message that the service refuses comes back into the input, or, if the person writes the next one, beside it. One
 * without a response stays beside it.
 */
export function submit(channelId: string): Promise<void> {
  const { text, replyTo, isReplyGone, picture } = draftOf(channelId)
  const id = String(Math.random()).slice(2)
  return enqueue(channelId, { id, text, replyTo, isReplyGone, picture }, nothing)
}

/** Sends a message again that was not sent. */
export function sendAgain(channelId: string, message: Outgoing): Promise<void> {
  return enqueue(channelId, anew(message), { unsent: without(draftOf(channelId).unsent, message.id) })
}

/** A message as it was before the service got it. */
const anew = ({ content: _content, sentAfter: _sentAfter, ...message }: Outgoing): Outgoing => message

/** Messages are sent in order: each one waits for the response to the one before it. `change`: of the rest of the draft. */
async function enqueue(channelId: string, message: Outgoing, change: Partial<Draft>): Promise<void> {
  const before = draftOf(channelId).sending
  changeDraft(channelId, { ...change, sending: [...before, message], refusal: undefined })
  if (before.length > 0) return
  for (let next: Outgoing | undefined = message; next; [next] = draftOf(channelId).sending) {
    const result = await post(channelId, next.id)
    if (!result) return
    changeDraft(channelId, { sending: without(draftOf(channelId).sending, next.id), ...result })
  }
}

/** Sends a message. Returns what changes in the draft if the service does not take it; undefined if the person has left the window. */
async function post(channelId: string, id: string): Promise<Partial<Draft> | undefined> {
  // Events may change it while it waits.
  const current = () => draftOf(channelId).sending.find((each) => each.id === id)!
  try {
    const content = await sentText(current().text)
    const message = { ...current(), content, sentAfter: messages.value[channelId]?.at(-1)?.created_at }
    changeDraft(channelId, { sending: draftOf(channelId).sending.map((each) => (each.id === id ? message : each)) })
    const { replyTo, isReplyGone, picture } = message
    await send(channelId, content, {
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
    // Without a response, the service may have the message, so later ones are not sent either. A reload also ends the request.
    if (error instanceof PeopleError && error.status === 0)
      return { unsent: [...now.unsent, ...now.sending], sending: [], refusal }
    const { id: _id, ...written } = anew(current())
    return isEmpty(now) ? { ...written, refusal } : { unsent: [...now.unsent, { id, ...written }], refusal }
  }
}

import type { Message } from '@botwright/protocol'
import { useEffect } from 'preact/hooks'
import { onStream } from './stream.ts'

/** A message as it is after an event; undefined if it is gone for this person. */
export type Changed = (message: Message) => Message | undefined

/** Follows messages that a component has requested itself: the store follows only those of loaded channels. */
export function useFetched(change: (changed: Changed) => void): void {
  useEffect(() => {
    const subscriptions = [
      onStream('message_update', ({ message }) => change((each) => (each.id === message.id ? message : each))),
      onStream('message_delete', ({ message_id }) => change((each) => (each.id === message_id ? undefined : each))),
      onStream('channel_delete', ({ channel_id }) =>
        change((each) => (each.channel_id === channel_id ? undefined : each)),
      ),
      onStream('user_delete', ({ user_id }) => change((each) => (each.author_id === user_id ? undefined : each))),
    ]
    return () => subscriptions.forEach((end) => end())
  }, [])
}

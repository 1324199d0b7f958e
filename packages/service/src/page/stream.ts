import type { StreamEventType } from '../people.ts'
import { api, Refused, streamAddress } from './api.ts'
import * as store from './store.ts'
import { type Handler, handlers } from './stream-handlers.ts'

const others = new Map<StreamEventType, Set<(event: never) => void>>()
/** Subscribes to one type of event, in addition to the store. Returns the function that unsubscribes. */
export function onStream<T extends StreamEventType>(type: T, handler: Handler<T>): () => void {
  const set = others.get(type) ?? new Set()
  others.set(type, set.add(handler))
  if (source && !subscribed.has(type)) subscribe(source, type)
  return () => void set.delete(handler)
}

let source: EventSource | undefined
let subscribed = new Set<StreamEventType>()
let retryTimer: ReturnType<typeof setTimeout> | undefined
let noteTimer: ReturnType<typeof setTimeout> | undefined
type Listener = { reopened: () => void; gone: () => void }

function subscribe(opened: EventSource, type: StreamEventType): void {
  subscribed.add(type)
  opened.addEventListener(type, (event: MessageEvent<string>) => {
    const data = JSON.parse(event.data) as never
    handlers[type]?.(data)
    for (const handler of others.get(type) ?? []) handler(data)
  })
}

const firstWaitMs = 500
const longestWaitMs = 8_000
const restoredShownMs = 2_500

/**
 * Follows the live feed until `disconnect`. Calls `reopened` after a gap, and `gone` when the session has ended.
 * Resolves once the feed is open, or after the first refusal.
 */
export function connect(token: string, on: Listener, waitMs = firstWaitMs): Promise<void> {
  disconnect()
  const opened = new EventSource(streamAddress(token))
  source = opened
  subscribed = new Set()
  for (const type of new Set([...Object.keys(handlers), ...others.keys()])) subscribe(opened, type as StreamEventType)
  return new Promise((settled) => {
    opened.onopen = () => {
      waitMs = firstWaitMs
      if (store.connection.value === 'lost') {
        store.connection.value = 'restored'
        noteTimer = setTimeout(() => (store.connection.value = 'open'), restoredShownMs)
        on.reopened()
      }
      settled()
    }
    opened.onerror = () => {
      clearTimeout(noteTimer)
      store.connection.value = 'lost'
      opened.close()
      // The browser does not reconnect after some responses, so reconnect here, with backoff.
      retryTimer = setTimeout(() => void again(token, on, Math.min(waitMs * 2, longestWaitMs)), waitMs)
      settled()
    }
  })
}

async function again(token: string, on: Listener, waitMs: number): Promise<void> {
  const asked = source
  try {
    await api.me()
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return on.gone()
  }
  // The window may have switched to another person meanwhile.
  if (store.person.value && source === asked) await connect(token, on, waitMs)
}

export function disconnect(): void {
  clearTimeout(retryTimer)
  source?.close()
  source = undefined
}

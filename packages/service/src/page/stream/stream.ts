import type { StreamEventType } from '../../people.ts'
import { PeopleError } from '../../people.ts'
import { api, serviceKey } from '../state/api.ts'
import { connectStream, type StreamConnection } from './connection.ts'
import { setServiceNow } from '../state/service-clock.ts'
import * as store from '../state/store.ts'
import { type Handler, handlers } from './stream-handlers.ts'
import { Turns } from './turns.ts'

const others = new Map<StreamEventType, Set<(event: never) => void>>()
/** Subscribes to one type of event, in addition to the store. Returns the function that unsubscribes. */
export function onStream<T extends StreamEventType>(type: T, handler: Handler<T>): () => void {
  const set = others.get(type) ?? new Set()
  others.set(type, set.add(handler))
  return () => void set.delete(handler)
}

let current: StreamConnection | undefined
/** The next attempt to connect, while there is no connection. */
let retry: { timer: ReturnType<typeof setTimeout>; now: () => void } | undefined
let noteTimer: ReturnType<typeof setTimeout> | undefined
/** Follows the stream as a person. */
type Access = { personId: string; token: string }
type Listener = { reopened: () => void; gone: (error: PeopleError) => void }

function handle(event: string): void {
  const { type, data } = JSON.parse(event) as { type: StreamEventType; data: never }
  handlers[type]?.(data)
  for (const handler of others.get(type) ?? []) handler(data)
}

const turns = new Turns(handle)

/** Lets events wait until the function that it returns is called. */
export const holdEvents = (): (() => void) => turns.hold()

const firstWaitMs = 500
const longestWaitMs = 8_000
const restoredShownMs = 2_500

/**
 * Follows the stream until `disconnect`. Calls `reopened` after a gap, and `gone` when the session or the person is refused.
 * Resolves once the stream is open, or after the first refusal.
 */
export function connect(access: Access, on: Listener, waitMs = firstWaitMs): Promise<void> {
  disconnect()
  return new Promise((settled) => {
    const lost = (): void => {
      opened.close()
      clearTimeout(retry?.timer)
      clearTimeout(noteTimer)
      store.connection.value = 'lost'
      const now = () => void again(access, on, Math.min(waitMs * 2, longestWaitMs))
      retry = { timer: setTimeout(now, waitMs), now }
      settled()
    }
    const opened = connectStream({ ...access, key: serviceKey }, (message) => {
      if (message === 'lost') lost()
      else if (message === 'open') {
        waitMs = firstWaitMs
        if (store.connection.value === 'lost') {
          store.connection.value = 'restored'
          noteTimer = setTimeout(() => (store.connection.value = 'open'), restoredShownMs)
          on.reopened()
        }
        settled()
      } else if ('serviceNow' in message) setServiceNow(message.serviceNow)
      else turns.add(message.event)
    })
    current = opened
  })
}

/** Connects at once instead of at the end of the wait. Does nothing during an attempt. */
export function retryNow(): void {
  const waiting = retry
  if (!waiting) return
  clearTimeout(waiting.timer)
  waiting.now()
}

async function again(access: Access, on: Listener, waitMs: number): Promise<void> {
  const asked = current
  retry = undefined
  try {
    await api.me.get()
  } catch (error) {
    // A response that no wait changes: the session has ended, or the person is banned.
    if (error instanceof PeopleError && (error.status === 401 || error.status === 403)) {
      if (current === asked) on.gone(error)
      return
    }
  }
  // The window may have switched to another person meanwhile.
  if (store.person.value && current === asked) await connect(access, on, waitMs)
}

export function disconnect(): void {
  clearTimeout(retry?.timer)
  retry = undefined
  // Reconnecting reads everything again, and older events would undo that.
  turns.clear()
  current?.close()
  current = undefined
}

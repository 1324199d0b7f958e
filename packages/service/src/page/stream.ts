import { batch } from '@preact/signals'
import type { StreamEventType } from '../people.ts'
import { PeopleError } from '../people.ts'
import { api, streamAddress } from './api.ts'
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
/** The next attempt to connect, while there is no connection. */
let retry: { timer: ReturnType<typeof setTimeout>; now: () => void } | undefined
let noteTimer: ReturnType<typeof setTimeout> | undefined
type Listener = { reopened: () => void; gone: () => void }

function subscribe(opened: EventSource, type: StreamEventType): void {
  subscribed.add(type)
  opened.addEventListener(type, (event: MessageEvent<string>) => {
    if (waiting.push({ type, text: event.data }) === 1) schedule()
  })
}

/** Events that wait for the next frame. All events of a frame change the page once, however many there are. */
let waiting: { type: StreamEventType; text: string }[] = []
let cancelTurn = (): void => {}
/** The time for events in a frame; the rest waits, so that typing and scrolling stay smooth during a flood. */
const turnMs = 10
/** A hidden window has no frames. */
const hiddenTurnMs = 200

function schedule(): void {
  if (document.hidden) {
    const timer = setTimeout(handleWaiting, hiddenTurnMs)
    cancelTurn = () => clearTimeout(timer)
  } else {
    const frame = requestAnimationFrame(handleWaiting)
    cancelTurn = () => cancelAnimationFrame(frame)
  }
}

function handleWaiting(): void {
  const until = performance.now() + turnMs
  let done = 0
  // An error of a handler must not stop the feed: the rest is scheduled even then.
  const all = waiting
  waiting = []
  try {
    batch(() => {
      while (done < all.length && (done === 0 || performance.now() < until)) handle(all[done++]!)
    })
  } finally {
    waiting = [...all.slice(done), ...waiting]
    if (waiting.length > 0) schedule()
  }
}

function handle({ type, text }: { type: StreamEventType; text: string }): void {
  const data = JSON.parse(text) as never
  handlers[type]?.(data)
  for (const handler of others.get(type) ?? []) handler(data)
}

// The frame of a window that was hidden meanwhile never comes.
document.addEventListener('visibilitychange', () => {
  if (waiting.length === 0) return
  cancelTurn()
  schedule()
})

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
      const now = () => void again(token, on, Math.min(waitMs * 2, longestWaitMs))
      retry = { timer: setTimeout(now, waitMs), now }
      settled()
    }
  })
}

/** Connects at once instead of at the end of the wait. Does nothing during an attempt. */
export function retryNow(): void {
  const waiting = retry
  if (!waiting) return
  clearTimeout(waiting.timer)
  waiting.now()
}

async function again(token: string, on: Listener, waitMs: number): Promise<void> {
  const asked = source
  retry = undefined
  try {
    await api.me.get()
  } catch (error) {
    if (error instanceof PeopleError && error.status === 401) return on.gone()
  }
  // The window may have switched to another person meanwhile.
  if (store.person.value && source === asked) await connect(token, on, waitMs)
}

export function disconnect(): void {
  clearTimeout(retry?.timer)
  retry = undefined
  cancelTurn()
  // Reconnecting reads everything again, and older events would undo that.
  waiting = []
  source?.close()
  source = undefined
}

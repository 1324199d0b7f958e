import { batch } from '@preact/signals'

// Applies the events of the stream in turns: all events of a turn change the page once, in one frame. Keys and scrolling come first, so
// the page rests after each turn, for longer than the turn took with its rendering and painting.

/** The time for the events of a turn; the rest waits for the next one. */
const turnMs = 6
/** The rest after a turn, as a multiple of its duration. */
const restFactor = 3
/** A turn during which the computer was busy with something else must not stop the page. */
const longestRestMs = 250
/**
 * The person types if the last key is newer than this. In a flood, a turn then begins after a key is painted, because the next key is then
 * least likely to be near.
 */
const typingMs = 400
/** A hidden window has no frames. */
const hiddenTurnMs = 200

/** Applies events in turns. */
export class Turns<Event> {
  readonly #handle: (event: Event) => void
  #waiting: Event[] = []
  /** Ends the wait for the next turn; undefined while no turn is to come. */
  #cancel: (() => void) | undefined
  #isPainting = false
  #holds = 0
  #restsUntil = 0
  #typedAt = -Infinity
  readonly #painted = new MessageChannel()

  constructor(handle: (event: Event) => void) {
    this.#handle = handle
    this.#painted.port1.onmessage = () => this.#afterPaint()
    // The frame of a window that was hidden meanwhile never comes.
    document.addEventListener('visibilitychange', () => this.#cancel && this.#schedule())
    addEventListener('keydown', () => this.#onKey(), { capture: true, passive: true })
  }

  add(event: Event): void {
    this.#waiting.push(event)
    this.#goOn()
  }

  /** Lets events wait until the function that it returns is called. */
  hold(): () => void {
    this.#holds++
    this.#cancel?.()
    this.#cancel = undefined
    return () => {
      this.#holds--
      this.#goOn()
    }
  }

  #goOn(isFlood = false): void {
    const isBusy = this.#cancel || this.#isPainting || this.#holds > 0
    if (!isBusy && this.#waiting.length > 0) this.#schedule(isFlood)
  }

  /** Forgets the events that wait. */
  clear(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#waiting = []
  }

  #schedule(isFlood = false): void {
    this.#cancel?.()
    const now = performance.now()
    const isTyping = isFlood && now - this.#typedAt < typingMs
    const restMs = document.hidden ? hiddenTurnMs : Math.max(this.#restsUntil - now, isTyping ? longestRestMs : 0)
    if (restMs <= 0) return this.#inNextFrame()
    const timer = setTimeout(() => (document.hidden ? this.#begin() : this.#inNextFrame()), restMs)
    this.#cancel = () => clearTimeout(timer)
  }

  #inNextFrame(): void {
    const frame = requestAnimationFrame(() => this.#begin())
    this.#cancel = () => cancelAnimationFrame(frame)
  }

  #onKey(): void {
    this.#typedAt = performance.now()
    const sinceRestMs = this.#typedAt - this.#restsUntil
    // Keys that repeat must not put the turn off for ever.
    if (!this.#cancel || document.hidden || sinceRestMs < 0 || sinceRestMs > longestRestMs) return
    this.#cancel()
    // The next frame shows the key; the one after it may take longer.
    const frame = requestAnimationFrame(() => this.#inNextFrame())
    this.#cancel = () => cancelAnimationFrame(frame)
  }

  #begin(): void {
    const beganAt = performance.now()
    this.#cancel = undefined
    this.#isPainting = true
    this.#restsUntil = beganAt
    let done = 0
    // An error of a handler must not stop the stream: the rest is scheduled even then.
    const all = this.#waiting
    // A handler may forget all of them, with `clear()`.
    const isForgotten = () => this.#waiting !== all
    try {
      batch(() => {
        while (!isForgotten() && done < all.length && (done === 0 || performance.now() < beganAt + turnMs))
          this.#handle(all[done++]!)
      })
    } finally {
      if (!isForgotten()) this.#waiting = all.slice(done)
      // The browser renders and paints the changes of a frame before it delivers a message.
      this.#painted.port2.postMessage(undefined)
    }
  }

  #afterPaint(): void {
    const now = performance.now()
    this.#isPainting = false
    this.#restsUntil = now + Math.min((now - this.#restsUntil) * restFactor, longestRestMs)
    this.#goOn(true)
  }
}

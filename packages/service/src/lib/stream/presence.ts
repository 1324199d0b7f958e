import { type Clock, elapsedOf, type Timer } from '@botwright/clock'
import type { Presence } from '../people-api/resources.ts'

/** How long a bot still counts as online after a poll ends, until it sends the next one. */
const GRACE_MS = 10_000

interface Shown {
  status: 'online' | 'idle' | 'dnd'
  activity: string | null
  polls: number
  timer: Timer | undefined
}

/** Tracks who is online: a bot while it polls (§3, Bot presence). Calls `changed` on every change. */
export class Presences {
  readonly #clock: Clock
  readonly #changed: (userId: string) => void
  readonly #shown = new Map<string, Shown>()

  constructor(clock: Clock, changed: (userId: string) => void) {
    this.#clock = clock
    this.#changed = changed
  }

  of(userId: string): Presence {
    const shown = this.#shown.get(userId)
    return shown ? { status: shown.status, activity: shown.activity } : { status: 'offline', activity: null }
  }

  /** Call when a poll starts; call the returned function when it ends. */
  polling(botId: string): () => void {
    const shown = this.#touch(botId)
    shown.polls++
    return () => {
      shown.polls--
      if (shown.polls === 0 && this.#shown.get(botId) === shown) this.#fade(botId, shown)
    }
  }

  /** Sets the status from `PUT /me/status`; kept while the bot polls. */
  set(botId: string, status: 'online' | 'idle' | 'dnd', activity: string | null): void {
    const shown = this.#touch(botId)
    shown.status = status
    shown.activity = activity
    if (shown.polls === 0) this.#fade(botId, shown)
    this.#changed(botId)
  }

  clear(): void {
    for (const shown of this.#shown.values()) shown.timer?.cancel()
    this.#shown.clear()
  }

  #touch(botId: string): Shown {
    let shown = this.#shown.get(botId)
    if (shown) {
      shown.timer?.cancel()
      shown.timer = undefined
      return shown
    }
    shown = { status: 'online', activity: null, polls: 0, timer: undefined }
    this.#shown.set(botId, shown)
    this.#changed(botId)
    return shown
  }

  #fade(botId: string, shown: Shown): void {
    // Time for the next poll to arrive: moving the clock must not take it away.
    shown.timer = elapsedOf(this.#clock).after(GRACE_MS, () => {
      this.#shown.delete(botId)
      this.#changed(botId)
    })
  }
}

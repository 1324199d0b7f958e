import { type Clock, elapsedOf } from '@botwright/clock'
import type { HistoryBounds } from '../../author/config/config.ts'

const DAY_MS = 86_400_000
/** A bot with few events deletes old ones this often. */
const PRUNE_MS = 10 * 60_000

/** Decides when a recording deletes its old events, and which are old. A clock that is moved, or ahead for a moment, makes none old. */
export class Pruning {
  readonly #bounds: HistoryBounds
  readonly #clock: Clock
  readonly #timers: Clock
  /** When it last deleted old events: by the clock of the host, and by the time that passes. */
  #last: { nowMs: number; passedMs: number } | undefined
  #written = 0

  constructor({ bounds, clock, timers }: { bounds: HistoryBounds; clock: Clock; timers: Clock }) {
    this.#bounds = bounds
    this.#clock = elapsedOf(clock)
    this.#timers = timers
  }

  /** Which events are old, if it is time to delete them after a write of so many; `lastSeq`: the newest one. */
  due(events: number, lastSeq: number): { sinceMs: number; afterSeq: number; lastSeq: number } | undefined {
    const bounds = this.#bounds
    const last = this.#last
    const sinceMs = this.#timers.monotonic() - (last?.passedMs ?? -Infinity)
    const every = Math.max(1000, bounds.events / 20)
    if (sinceMs < PRUNE_MS && this.#written + events < every) return undefined
    const nowMs = last ? Math.min(this.#clock.now(), last.nowMs + sinceMs) : 0
    return { sinceMs: nowMs - bounds.days * DAY_MS, afterSeq: lastSeq - bounds.events, lastSeq }
  }

  /** So many events were written. */
  wrote(events: number, isPruned: boolean): void {
    this.#written = isPruned ? 0 : this.#written + events
    if (isPruned) this.#last = { nowMs: this.#clock.now(), passedMs: this.#timers.monotonic() }
  }
}
